package ringleader.client;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Until when what a session holds is held. No socket and no clock: times are given. A session is alive until its deadline,
 * and never again after it; a grant counts only while its session is alive and its request is waited for.
 */
final class Session {
    /** More than any server promises; what is larger is no promise. */
    static final long VALID_MAX = 10_000_000_000L;

    enum Stage { WAITS, HOLDS, LEAVES, OVER }

    /** What is wanted of a lock. */
    static final class Request {
        final long rid;
        final String path;
        final Map<String, Object> body;
        final CompletableFuture<Void> lost = new CompletableFuture<>();
        Stage stage = Stage.WAITS;
        long fence;
        String why = "";
        /** The server does not know it: it is to be asked again. */
        boolean again;

        Request(long rid, String path, Map<String, Object> body) {
            this.rid = rid;
            this.path = path;
            this.body = body;
        }
    }

    final String id;
    final long driftPpm;
    final Map<Long, Request> requests = new LinkedHashMap<>();
    long sent;
    long validMillis;
    long deadline;
    String why = "";
    private long lastRid;

    Session(String id, long driftPpm, long sent, long validMillis) {
        this.id = id;
        this.driftPpm = driftPpm;
        this.sent = sent;
        this.validMillis = validMillis;
        this.deadline = sent + certain(validMillis);
    }

    /** What is left of a promise if both clocks are as wrong as they may be: valid·(1-ρ)/(1+ρ), rounded down. */
    long certain(long millis) {
        BigInteger nanos = BigInteger.valueOf(millis * 1_000_000).multiply(BigInteger.valueOf(1_000_000 - driftPpm));
        return nanos.divide(BigInteger.valueOf(1_000_000 + driftPpm)).longValueExact();
    }

    /** Whether it lives. Once it does not, it never does again. */
    boolean isAlive(long now) {
        if (why.isEmpty() && now - deadline >= 0) {
            why = "nothing was heard of its server in time";
        }
        return why.isEmpty();
    }

    void end(String reason) {
        why = why.isEmpty() ? reason : why;
    }

    /** A keep-alive that was sent at this time was answered. Nothing comes back to life by it. */
    void keptAlive(long now, long sentAt, long millis) {
        if (isAlive(now)) {
            sent = sentAt;
            validMillis = millis;
            deadline = Math.max(deadline, sentAt + certain(millis));
        }
    }

    /** A request with a number that was never used. */
    Request asks(String path, Map<String, Object> more) {
        lastRid++;
        Map<String, Object> body = new LinkedHashMap<>(Map.of("session", id, "rid", lastRid));
        body.putAll(more);
        Request request = new Request(lastRid, path, body);
        requests.put(lastRid, request);
        return request;
    }

    /** It is done with; whatever is heard of it later is given back. */
    void over(Request request, String reason) {
        request.stage = Stage.OVER;
        request.why = request.why.isEmpty() ? reason : request.why;
        requests.remove(request.rid);
    }

    /** A grant has come. Whether it counts; otherwise it must be given back. */
    boolean granted(long now, Request request, long fence) {
        if (!isAlive(now)) {
            return false;
        }
        if (request.stage == Stage.WAITS) {
            request.stage = Stage.HOLDS;
            request.fence = fence;
        }
        return request.stage == Stage.HOLDS && request.fence == fence;
    }

    boolean holds(long now, Request request) {
        return isAlive(now) && request.stage == Stage.HOLDS;
    }

    boolean isBusy() {
        return requests.values().stream().anyMatch(each -> each.stage != Stage.WAITS);
    }

    /**
     * What the answer to a keep-alive says of the requests that it was asked about; gives the numbers of those that are to
     * be cancelled. What was believed to be held when the question was sent, and the server does not know, is lost. What
     * waits and was granted is held.
     */
    List<Long> told(long now, Map<Request, Stage> believed, Object listed) {
        Map<Long, Map<?, ?>> known = new HashMap<>();
        for (Object each : listed instanceof List<?> list ? list : List.of()) {
            if (!(each instanceof Map<?, ?> entry)) {
                throw LockException.protocol("a request of the answer is none");
            }
            known.put(whole(entry, "rid", Long.MAX_VALUE), entry);
        }
        believed.forEach((request, said) -> {
            Map<?, ?> entry = known.get(request.rid);
            if (said == Stage.HOLDS && request.stage == Stage.HOLDS && entry == null) {
                over(request, "its server does not know of it any more");
            } else if (request.stage == Stage.WAITS && entry == null) {
                request.again = true;
            } else if (request.stage == Stage.WAITS && "holds".equals(entry.get("state"))) {
                granted(now, request, fence(entry));
            }
        });
        List<Long> unknown = new ArrayList<>(known.keySet());
        unknown.removeAll(requests.keySet());
        return unknown;
    }

    /** A whole number of an answer. */
    static long whole(Object body, String key, long most) {
        if (body instanceof Map<?, ?> fields && fields.get(key) instanceof Long value && value >= 0 && value <= most) {
            return value;
        }
        throw LockException.protocol("`" + key + "` of the answer is no whole number from 0 to " + most);
    }

    /** A fence: a string of digits, up to 63 bits. */
    static long fence(Object body) {
        Object text = body instanceof Map<?, ?> fields ? fields.get("fence") : null;
        if (text instanceof String digits && digits.matches("[0-9]{1,30}")) {
            BigInteger number = new BigInteger(digits);
            if (number.bitLength() <= 63) {
                return number.longValueExact();
            }
        }
        throw LockException.protocol("the fence of the answer is no string of up to 63 bits");
    }
}
