package ringleader.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import ringleader.client.LockException.Code;
import ringleader.client.Servers.Server;
import ringleader.client.Session.Request;

/**
 * A client of Ringleader's lock service. It has one session, which it opens when it is first needed and keeps alive in the
 * background.
 *
 * <pre>{@code
 * try (Client client = Client.at("https://10.0.0.1:7431#a.demo.ringleader").authority(Path.of("ca.pem"))
 *             .certificate(Path.of("client.pem"), Path.of("client.key")).build();
 *         Held held = client.lock("nightly-backup").timeout(Duration.ofSeconds(10)).acquire()) {
 *     storage.write(body, held.fence());
 * }
 * }</pre>
 */
public final class Client implements AutoCloseable {
    final Servers servers;
    final List<Server> places = new ArrayList<>();
    final String followKey = HexFormat.of().formatHex(new SecureRandom().generateSeed(32));
    int at;
    private final Map<String, Object> opens = new LinkedHashMap<>();
    private final long patience;
    private final Object opening = new Object();
    private Link link;
    private boolean closed;

    private Client(Builder builder) {
        servers = new Servers(builder.authority, builder.certificate, builder.key, builder.token);
        builder.servers.forEach(text -> places.add(servers.parse(text)));
        if (places.isEmpty()) {
            throw LockException.of("bad_request", "no server was named", "nothing was asked");
        }
        patience = builder.patience.toNanos();
        opens.put("meta", builder.meta != null ? builder.meta : "java:" + ProcessHandle.current().pid());
        opens.put("follow_key", followKey);
        if (builder.sessionClass != null) {
            opens.put("class", builder.sessionClass);
        }
        if (builder.ttl != null) {
            opens.put("ttl_ms", builder.ttl.toMillis());
        }
    }

    /** Servers of one cluster: {@code https://HOST:PORT}, or with {@code #NAME}, the name in its certificate. */
    public static Builder at(String... servers) {
        return new Builder(List.of(servers));
    }

    /** What a client is told at its start. */
    public static final class Builder {
        private final List<String> servers;
        private Path authority;
        private Path certificate;
        private Path key;
        private String token;
        private String meta;
        private String sessionClass;
        private Duration ttl;
        private Duration patience = Duration.ofSeconds(5);

        private Builder(List<String> servers) {
            this.servers = servers;
        }

        /** The file with the cluster's authority; needed for every server over TLS. */
        public Builder authority(Path file) {
            authority = file;
            return this;
        }

        /** Files that say who asks, in PEM form; the key in PKCS #8. */
        public Builder certificate(Path chain, Path privateKey) {
            certificate = chain;
            key = privateKey;
            return this;
        }

        /** A bearer token that says who asks. */
        public Builder token(String secret) {
            token = secret;
            return this;
        }

        /** What others are shown about the holder. */
        public Builder meta(String text) {
            meta = text;
            return this;
        }

        /** The class of the session: {@code fast}, {@code normal} or {@code batch}. */
        public Builder sessionClass(String word) {
            sessionClass = word;
            return this;
        }

        /** How long the client may be silent at most. */
        public Builder ttl(Duration most) {
            ttl = most;
            return this;
        }

        /** How long a server is looked for, and how long a try waits for its answer. */
        public Builder patience(Duration most) {
            patience = most;
            return this;
        }

        /** The client. It asks nobody yet. */
        public Client build() {
            return new Client(this);
        }
    }

    /** A lock that is to be asked for. */
    public Asking lock(String name) {
        return new Asking("locks", name);
    }

    /** To lead: a value that others see. */
    public Asking campaign(String name, String value) {
        return new Asking("elections", name).value(value);
    }

    /** What is to be asked for. */
    public final class Asking {
        private final String kind;
        private final String name;
        private final Map<String, Object> more = new LinkedHashMap<>();
        private Duration timeout;

        private Asking(String kind, String name) {
            this.kind = kind;
            this.name = name;
        }

        /** Waits at most so long. */
        public Asking timeout(Duration most) {
            timeout = most;
            return this;
        }

        /** What others are shown while it is held. */
        public Asking value(String value) {
            if (!value.isEmpty()) {
                more.put("value", value);
            }
            return this;
        }

        /** How much it is wanted. Only elections look at it; the highest is first. */
        public Asking priority(long priority) {
            more.put("priority", priority);
            return this;
        }

        /** As a reader: readers hold it together, and never beside a writer. */
        public Asking shared() {
            more.put("mode", "shared");
            return this;
        }

        /** As one of so many: a semaphore. */
        public Asking permits(long permits) {
            more.put("permits", permits);
            return this;
        }

        /** Does not wait: if somebody else has it, that is a LockException with code LOCKED. */
        public Held tryNow() throws InterruptedException {
            more.put("wait_ms", 0L);
            return asks(Clock.now() + patience, true);
        }

        /**
         * Waits until it is granted. If the session is lost meanwhile, it is asked for again in a new one. If the thread is
         * interrupted, the request is withdrawn.
         */
        public Held acquire() throws InterruptedException {
            return asks(timeout == null ? null : Clock.now() + timeout.toNanos(), false);
        }

        private Held asks(Long until, boolean tries) throws InterruptedException {
            String path = "/v1/" + kind + "/" + inPath(name);
            boolean election = kind.equals("elections");
            while (true) {
                long limit = Clock.now() + patience;
                Link there = linked(until == null || until - limit > 0 ? limit : until);
                Request request;
                synchronized (Client.this) {
                    request = there.session.asks(path + (election ? "/campaign" : "/acquire"), more);
                }
                boolean taken = false;
                try {
                    there.want(request, until, tries);
                    Held held = new Held(there, request, name, path + (election ? "/resign" : "/release"));
                    taken = held.isHeld();
                    if (taken) {
                        return held;
                    }
                } catch (LockException error) {
                    if (tries || !error.isExpired() || isClosed() || until != null && until - Clock.now() <= 0) {
                        throw error;
                    }
                } finally {
                    if (!taken) {
                        there.withdraw(request);
                    }
                }
            }
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    synchronized void wakeAll() {
        notifyAll();
    }

    /** Tells that something is lost, from a thread that holds no monitor. */
    void tell(Request request) {
        CompletableFuture.runAsync(() -> request.lost.complete(null));
    }

    Thread spawn(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** The session, opened if there is none: at each server in turn until then. */
    private Link linked(long until) throws InterruptedException {
        synchronized (opening) {
            LockException last = LockException.of("no_server", "no server answers", "nothing was granted");
            while (true) {
                Server server;
                synchronized (this) {
                    if (closed) {
                        throw LockException.expired("the client was closed");
                    }
                    if (link != null && link.isAlive()) {
                        return link;
                    }
                    server = places.get(at % places.size());
                }
                long sent = Clock.now();
                if (until - sent <= 0) {
                    throw last;
                }
                try {
                    Link opened = open(server, sent, Math.min(until - sent, patience / 2));
                    synchronized (this) {
                        link = opened;
                    }
                    spawn("ringleader-keepalive", opened);
                } catch (LockException error) {
                    if (error.is(Code.BAD_REQUEST, Code.UNAUTHENTICATED, Code.FORBIDDEN)) {
                        throw error;
                    }
                    last = error;
                    synchronized (this) {
                        at++;
                    }
                    TimeUnit.NANOSECONDS.sleep(at % places.size() == 0 ? 4 * Link.AGAIN : Link.AGAIN);
                }
            }
        }
    }

    private Link open(Server server, long sent, long most) throws InterruptedException {
        CompletableFuture<Object> call = servers.ask(server, "POST", "/v1/sessions", opens, 201);
        try {
            Object opened = call.get(most, TimeUnit.NANOSECONDS);
            long drift = Session.whole(opened, "drift_ppm", 999_999);
            long valid = Session.whole(opened, "valid_ms", Session.VALID_MAX);
            if (!(((Map<?, ?>) opened).get("session") instanceof String id) || !id.matches("[0-9a-zA-Z]+")) {
                throw LockException.protocol(server + " opens a session that is none");
            }
            return new Link(this, new Session(id, drift, sent, valid), server);
        } catch (ExecutionException error) {
            throw (LockException) error.getCause();
        } catch (java.util.concurrent.TimeoutException error) {
            throw LockException.noServer(server.toString(), error);
        } finally {
            call.cancel(true);
        }
    }

    /** How a lock is, as the fields that the server tells. */
    public Map<String, Object> look(String name) throws InterruptedException {
        return look("locks", name);
    }

    /** Who leads. */
    public Map<String, Object> leader(String name) throws InterruptedException {
        return look("elections", name);
    }

    private Map<String, Object> look(String kind, String name) throws InterruptedException {
        LockException last = null;
        for (Server server : places) {
            CompletableFuture<Object> call = servers.ask(server, "GET", "/v1/" + kind + "/" + inPath(name), null, 200);
            try {
                return fields(call.get(patience, TimeUnit.NANOSECONDS));
            } catch (ExecutionException error) {
                last = (LockException) error.getCause();
                if (!last.is(Code.NO_SERVER, Code.PROTOCOL)) {
                    throw last;
                }
            } catch (java.util.concurrent.TimeoutException error) {
                last = LockException.noServer(server.toString(), error);
                call.cancel(true);
            }
        }
        throw last;
    }

    private static Map<String, Object> fields(Object body) {
        Map<String, Object> fields = new LinkedHashMap<>();
        if (body instanceof Map<?, ?> map) {
            map.forEach((key, value) -> fields.put((String) key, value));
        }
        return fields;
    }

    /** Calls for each change of an election's leader, until the thread is interrupted: {@code event}, {@code fence}, … */
    public void observe(String name, Consumer<Map<String, Object>> each) throws InterruptedException {
        String from = "";
        for (int turn = 0;; turn++) {
            Server server = places.get(turn % places.size());
            try {
                HttpResponse<java.io.InputStream> answer =
                        servers.events(server, "/v1/elections/" + inPath(name) + "/observe" + from);
                try (BufferedReader lines = new BufferedReader(
                        new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
                    String line;
                    while ((line = lines.readLine()) != null) {
                        if (answer.statusCode() != 200) {
                            Servers.checked(server, answer.statusCode(), line.getBytes(StandardCharsets.UTF_8), 200);
                        }
                        if (line.startsWith("data:")) {
                            Map<String, Object> event = fields(Json.read(line.substring(5).getBytes(StandardCharsets.UTF_8)));
                            from = event.get("fence") instanceof String fence ? "?from_fence=" + inPath(fence) : from;
                            each.accept(event);
                        }
                    }
                }
            } catch (IOException | IllegalArgumentException error) {
                // The next server knows it, too.
            } catch (LockException error) {
                if (!error.is(Code.NO_SERVER, Code.PROTOCOL, Code.NO_LEASE, Code.RECOVERING, Code.LIMIT)) {
                    throw error;
                }
            }
            TimeUnit.NANOSECONDS.sleep(4 * Link.AGAIN);
        }
    }

    /** A name as one part of a path. */
    private static String inPath(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Ends the session, and waits until the server knows or a second has passed. Everything held is free. */
    @Override
    public void close() {
        Link last;
        synchronized (this) {
            last = link;
            closed = true;
            link = null;
        }
        if (last != null) {
            last.end("the client was closed");
            last.farewell().join();
        }
    }
}
