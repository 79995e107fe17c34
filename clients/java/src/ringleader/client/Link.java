package ringleader.client;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import ringleader.client.LockException.Code;
import ringleader.client.Servers.Server;
import ringleader.client.Session.Request;
import ringleader.client.Session.Stage;

/** A session at its server, which may become another one. Everything here is guarded by the client. */
final class Link implements Runnable {
    static final long AGAIN = 50_000_000;
    /** Timers may stand still while the machine sleeps, and the deadline does not: nothing sleeps longer than this. */
    private static final long SLEEP_MAX = 100_000_000;

    final Client client;
    final Session session;
    private Server home;
    /** The server whose word counts if it says that the session is over. */
    private Server origin;
    /** False from when the session has moved until a keep-alive was answered there. */
    private boolean settled = true;
    private boolean hurry;

    Link(Client client, Session session, Server home) {
        this.client = client;
        this.session = session;
        this.home = home;
        this.origin = home;
    }

    /** Looks at the clock. Whoever holds is told if it is over. */
    boolean isAlive() {
        synchronized (client) {
            boolean alive = session.isAlive(Clock.now());
            if (!alive) {
                changed();
            }
            return alive;
        }
    }

    /** Something about requests may be different. */
    private void changed() {
        long now = Clock.now();
        for (Request request : session.requests.values()) {
            if (request.stage == Stage.HOLDS && !session.holds(now, request)) {
                client.tell(request);
            }
        }
        client.notifyAll();
    }

    void end(String why) {
        synchronized (client) {
            session.end(why);
            changed();
        }
    }

    /** Waits for news, until the deadline or for a while; to be called with the client's monitor. */
    private void await(long most) throws InterruptedException {
        long nanos = Math.min(Math.min(most, SLEEP_MAX), session.deadline - Clock.now());
        client.wait(Math.max(nanos, 1_000_000) / 1_000_000);
    }

    /** Asks about the session, where the session is; gives up when the session is over. */
    Object ask(String path, Object body, int wanted, Patience patience) throws InterruptedException {
        while (isAlive()) {
            Server at;
            synchronized (client) {
                while (!settled && session.isAlive(Clock.now()) && !patience.isOver()) {
                    await(SLEEP_MAX);
                }
                at = home;
            }
            if (patience.isOver()) {
                return null;
            }
            CompletableFuture<Object> call = client.servers.ask(at, "POST", path, body, wanted);
            call.whenComplete((answer, error) -> client.wakeAll());
            try {
                synchronized (client) {
                    while (!call.isDone() && session.isAlive(Clock.now()) && !patience.isOver()) {
                        await(SLEEP_MAX);
                    }
                }
                if (!call.isDone()) {
                    return null;
                }
                return call.get();
            } catch (ExecutionException error) {
                LockException refused = (LockException) error.getCause();
                if (refused.code() == Code.MOVED) {
                    seek(refused.moveTo());
                } else if (refused.isExpired()) {
                    synchronized (client) {
                        if (at.equals(home) && settled) {
                            end(refused.getMessage());
                        }
                    }
                } else {
                    throw refused;
                }
            } finally {
                call.cancel(true);
            }
        }
        throw LockException.expired(session.why);
    }

    /** When a question is not worth its answer any more. */
    interface Patience {
        boolean isOver();
    }

    /** The session is at another server. Nothing else is asked until a keep-alive was answered there. */
    private void seek(String to) {
        synchronized (client) {
            settled = false;
            hurry = true;
            try {
                home = to == null ? next() : client.servers.parse(to);
                origin = to == null ? origin : null;
            } catch (LockException error) {
                home = next();
            }
            client.notifyAll();
        }
    }

    private Server next() {
        return client.places.get((client.places.indexOf(home) + 1) % client.places.size());
    }

    /** Keep-alives, each a third of what is valid after the one before, until the session is over. */
    @Override
    public void run() {
        try {
            keepAlive();
        } catch (InterruptedException error) {
            end("its thread was interrupted");
        }
    }

    private void keepAlive() throws InterruptedException {
        long due = session.sent + session.validMillis * 1_000_000 / 3;
        int vain = 0;
        while (isAlive()) {
            Server at;
            long third;
            synchronized (client) {
                if (due - Clock.now() > 0 && !hurry) {
                    await(due - Clock.now());
                    continue;
                }
                hurry = false;
                at = home;
                third = session.validMillis * 1_000_000 / 3;
            }
            long sent = Clock.now();
            if (beat(sent, Math.max(third, SLEEP_MAX))) {
                vain = 0;
                due = sent + third;
                continue;
            }
            // No answer: the same again soon; at another server if this one does not come back.
            vain++;
            synchronized (client) {
                if (settled && vain >= 2 && client.places.size() > 1) {
                    seek(null);
                } else if (!settled && at.equals(home)) {
                    home = next();
                }
                hurry = false;
            }
            due = Clock.now() + Math.max(Math.min(third / 10, 4 * AGAIN), 10_000_000);
        }
    }

    /** One keep-alive. Whether the server has answered, in time, that the session lives. */
    private boolean beat(long sent, long patience) throws InterruptedException {
        Map<Request, Stage> believed = new IdentityHashMap<>();
        List<Object> states = new ArrayList<>();
        Map<String, Object> body = new LinkedHashMap<>();
        Server at;
        boolean was;
        synchronized (client) {
            at = home;
            was = settled;
            for (Request request : session.requests.values()) {
                if (request.stage == Stage.WAITS && states.size() < 500) {
                    states.add(Map.of("rid", request.rid, "state", "waits"));
                } else if (request.stage == Stage.HOLDS && states.size() < 500) {
                    String fence = String.valueOf(request.fence);
                    states.add(Map.of("rid", request.rid, "state", "holds", "fence", fence));
                } else {
                    continue;
                }
                believed.put(request, request.stage);
            }
            if (!states.isEmpty()) {
                body.put("requests", states);
            }
            if (!was) {
                body.put("follow_key", client.followKey);
            }
        }
        String path = "/v1/sessions/" + session.id + "/keepalive";
        CompletableFuture<Object> call = client.servers.ask(at, "POST", path, body, 200);
        call.whenComplete((answer, error) -> client.wakeAll());
        try {
            synchronized (client) {
                while (!call.isDone() && Clock.now() - sent < patience && session.isAlive(Clock.now())) {
                    await(SLEEP_MAX);
                }
            }
            return call.isDone() && lives(call.get(), believed, sent, at);
        } catch (LockException error) {
            return false;
        } catch (ExecutionException error) {
            LockException refused = (LockException) error.getCause();
            synchronized (client) {
                boolean final_ = was || refused.code() == Code.SESSION_EXPIRED || client.places.size() == 1;
                if (refused.code() == Code.MOVED && was == settled) {
                    seek(refused.moveTo());
                } else if (refused.isExpired() && at.equals(origin) && final_) {
                    end(refused.getMessage());
                }
            }
            return false;
        } finally {
            call.cancel(true);
        }
    }

    private boolean lives(Object answer, Map<Request, Stage> believed, long sent, Server at) {
        long valid = Session.whole(answer, "valid_ms", Session.VALID_MAX);
        Map<?, ?> fields = (Map<?, ?>) answer;
        boolean leave;
        synchronized (client) {
            List<Long> unknown = session.told(Clock.now(), believed, fields.get("requests"));
            session.keptAlive(Clock.now(), sent, valid);
            home = at;
            origin = at;
            settled = true;
            client.at = Math.max(0, client.places.indexOf(at));
            unknown.forEach(this::cancel);
            believed.keySet().stream().filter(each -> each.stage == Stage.OVER).forEach(client::tell);
            changed();
            leave = Boolean.TRUE.equals(fields.get("draining")) && !session.isBusy();
        }
        if (leave) {
            leave();
        }
        return true;
    }

    /** Its server is about to leave, and nothing is held there: the next session is at another one. */
    void leave() {
        synchronized (client) {
            client.at++;
            end("its server is about to leave");
        }
        farewell();
    }

    CompletableFuture<Object> farewell() {
        Server at;
        synchronized (client) {
            at = home;
        }
        return client.servers.ask(at, "DELETE", "/v1/sessions/" + session.id, null, 204)
                .completeOnTimeout(null, 1, TimeUnit.SECONDS).exceptionally(error -> null);
    }

    /** A request is not wanted any more. If it was granted, that is given back; also in a session that has ended here. */
    void withdraw(Request request) {
        boolean alive;
        synchronized (client) {
            session.over(request, "");
            alive = session.isAlive(Clock.now());
        }
        if (alive) {
            cancel(request.rid);
        } else {
            farewell();
        }
    }

    private void cancel(long rid) {
        client.spawn("ringleader-cancel", () -> {
            try {
                insist("/v1/sessions/" + session.id + "/cancel", Map.of("rid", rid));
            } catch (LockException | InterruptedException error) {
                // The session is over, or the request.
            }
        });
    }

    /** Asks until it is answered. */
    void insist(String path, Object body) throws InterruptedException {
        for (int times = 1;; times++) {
            try {
                ask(path, body, 204, () -> false);
                if (!isAlive()) {
                    throw LockException.expired(session.why);
                }
                return;
            } catch (LockException error) {
                if (error.code() == Code.NOT_HOLDER && times > 1) {
                    return; // It was heard before.
                }
                if (!error.is(Code.NO_SERVER, Code.PROTOCOL, Code.NO_LEASE, Code.RECOVERING, Code.DRAINING, Code.LIMIT)) {
                    throw error;
                }
                Thread.sleep(error.retryAfter().map(java.time.Duration::toMillis).orElse(AGAIN / 1_000_000));
            }
        }
    }

    /** Asks with the same number until it is granted or refused. */
    void want(Request request, Long until, boolean tries) throws InterruptedException {
        long pause = AGAIN;
        while (true) {
            if (!isAlive()) {
                throw LockException.expired(session.why);
            }
            synchronized (client) {
                request.again = false;
                if (request.stage == Stage.HOLDS) {
                    return;
                }
                if (until != null && until - Clock.now() <= 0) {
                    throw LockException.of("timeout", "it was not granted in time",
                            "it is not held, and not waited for any more");
                }
                if (until != null && !tries) {
                    request.body.put("wait_ms", (until - Clock.now() + 999_999) / 1_000_000);
                }
            }
            try {
                Object answer = ask(request.path, Map.copyOf(request.body), 200, () -> request.stage != Stage.WAITS
                        || request.again || until != null && until - Clock.now() <= 0);
                synchronized (client) {
                    boolean left = request.stage != Stage.WAITS || request.again || !session.isAlive(Clock.now());
                    if (!left && (until == null || answer != null || until - Clock.now() > 0)) {
                        session.granted(Clock.now(), request, Session.fence(answer));
                    }
                }
                continue;
            } catch (LockException error) {
                if (error.is(Code.NO_SERVER, Code.PROTOCOL)) {
                    pause = Math.min(2 * pause, 1_000_000_000);
                } else if (tries) {
                    throw error;
                } else if (error.is(Code.NO_LEASE, Code.RECOVERING, Code.LIMIT)) {
                    pause = error.retryAfter().map(java.time.Duration::toNanos).orElse(AGAIN);
                } else if (error.is(Code.DRAINING) && !session.isBusy()) {
                    leave();
                } else if (error.is(Code.LOCKED)) {
                    throw LockException.of("timeout", "it was not free in time", error.certain());
                } else {
                    throw error;
                }
            }
            long begun = Clock.now();
            long most = Math.min(pause, 1_000_000_000);
            synchronized (client) {
                while (request.stage == Stage.WAITS && Clock.now() - begun < most && session.isAlive(Clock.now())) {
                    await(most - (Clock.now() - begun));
                }
            }
        }
    }
}
