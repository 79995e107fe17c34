package ringleader.client;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** A refusal, or what stands for one: what went wrong, and what is certain then. */
public final class LockException extends RuntimeException {
    private static final long serialVersionUID = 1;
    static final String FREE =
            "nothing of it is held; what the server may still keep is free when the session ends there";

    /** The codes that there are. */
    public enum Code {
        LOCKED, MODE_MIXED, TIMEOUT, SESSION_EXPIRED, SESSION_UNKNOWN, NOT_HOLDER, NO_LEASE, RECOVERING, DRAINING,
        MOVED, LIMIT, BAD_NAME, BAD_REQUEST, UNAUTHENTICATED, FORBIDDEN,
        /** No server answers: nothing is certain. */
        NO_SERVER,
        /** What answers is no server of this kind, or another version: its answer counts as none. */
        PROTOCOL,
        /** A file, a certificate or a key is of no use. */
        BAD_CREDENTIALS,
        /** Another word of a newer server: see {@link LockException#word}. */
        OTHER
    }

    private final String word;
    private final Code code;
    private final String certain;
    private final String help;
    private final Long retryAfterMillis;
    private final String moveTo;

    LockException(String word, String message, String certain, String help, Long retryAfterMillis, String moveTo) {
        super(message);
        this.word = word;
        Code known = Code.OTHER;
        for (Code each : Code.values()) {
            known = each.name().toLowerCase(java.util.Locale.ROOT).equals(word) ? each : known;
        }
        this.code = known;
        this.certain = certain;
        this.help = help;
        this.retryAfterMillis = retryAfterMillis;
        this.moveTo = moveTo;
    }

    static LockException of(String word, String message, String certain) {
        return new LockException(word, message, certain, null, null, null);
    }

    static LockException noServer(String server, Throwable why) {
        return of("no_server", server + " does not answer: " + why, "nothing");
    }

    static LockException protocol(String message) {
        return of("protocol", message, "nothing");
    }

    static LockException expired(String why) {
        return of("session_expired", "the session is over: " + why, FREE);
    }

    /** The exception that the body of an answer describes; null if it describes none. */
    static LockException refusal(Object body) {
        if (!(body instanceof Map<?, ?> fields) || !(fields.get("code") instanceof String word) || word.isEmpty()) {
            return null;
        }
        Long after = fields.get("retry_after_ms") instanceof Long millis && millis >= 0 ? millis : null;
        return new LockException(word, text(fields, "message"), text(fields, "certain"), text(fields, "help"), after,
                text(fields, "move_to"));
    }

    private static String text(Map<?, ?> fields, String key) {
        return fields.get(key) instanceof String text ? text : null;
    }

    /** What went wrong. */
    public Code code() {
        return code;
    }

    /** The same as the word that the server says. */
    public String word() {
        return word;
    }

    /** What is certain. */
    public String certain() {
        return certain == null ? "" : certain;
    }

    /** What to do about it. */
    public Optional<String> help() {
        return Optional.ofNullable(help);
    }

    /** When to try again. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfterMillis).map(Duration::ofMillis);
    }

    String moveTo() {
        return moveTo;
    }

    boolean is(Code... codes) {
        return java.util.Arrays.asList(codes).contains(code);
    }

    boolean isExpired() {
        return is(Code.SESSION_EXPIRED, Code.SESSION_UNKNOWN);
    }

    @Override
    public String toString() {
        return getMessage() + " (" + word + ")" + (certain().isEmpty() ? "" : "; certain: " + certain);
    }
}
