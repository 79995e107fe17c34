package ringleader.client;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import ringleader.client.Session.Request;
import ringleader.client.Session.Stage;

/** A lock that is held, or was. Look at {@link #isHeld} before work that would be in vain; what protects data is the fence. */
public final class Held implements AutoCloseable {
    private final Link link;
    private final Request request;
    private final String name;
    private final String end;

    Held(Link link, Request request, String name, String end) {
        this.link = link;
        this.request = request;
        this.name = name;
        this.end = end;
    }

    /** The lock. */
    public String name() {
        return name;
    }

    /** The number of the grant: give it to the storage. */
    public long fence() {
        return request.fence;
    }

    /** The session in which it is held. */
    public String session() {
        return link.session.id;
    }

    /** Whether it is held at this moment, by {@link Clock}. */
    public boolean isHeld() {
        return !remaining().isZero();
    }

    /** From when on it is not held, on {@link Clock#now}, as far as is known now. It moves on with keep-alives. */
    public long deadline() {
        synchronized (link.client) {
            return link.session.deadline;
        }
    }

    /** For how long it is held at least, from now on; zero if it is not held. */
    public Duration remaining() {
        synchronized (link.client) {
            long now = Clock.now();
            return link.session.holds(now, request) ? Duration.ofNanos(link.session.deadline - now) : Duration.ZERO;
        }
    }

    /**
     * Completed when it is lost; not when it is released. It may be completed late if the process was paused;
     * {@link #isHeld} is never late.
     */
    public CompletableFuture<Void> lost() {
        return request.lost;
    }

    /** Gives it back, and waits until the server has heard it. SESSION_EXPIRED if it was lost before. */
    public void release() throws InterruptedException {
        synchronized (link.client) {
            if (request.stage == Stage.LEAVES) {
                return;
            }
            if (!link.session.holds(Clock.now(), request)) {
                String why = request.why.isEmpty() ? link.session.why : request.why;
                throw LockException.of("session_expired", "it was lost: " + why, LockException.FREE);
            }
            request.stage = Stage.LEAVES;
        }
        try {
            link.insist(end, Map.of("session", link.session.id, "fence", String.valueOf(request.fence)));
        } catch (LockException error) {
            if (!error.isExpired()) { // Otherwise it is free: the session has ended.
                throw error;
            }
        } finally {
            synchronized (link.client) {
                link.session.requests.remove(request.rid);
            }
        }
    }

    /** The same as {@link #release}, for try-with-resources. */
    @Override
    public void close() {
        try {
            release();
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }
}
