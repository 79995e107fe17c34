package ringleader.client;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What the conformance suite does not see from outside. */
public final class SelfTest {
    private static long steady = 5_000_000_000L;
    private static long other = 100_000_000_000L;

    private SelfTest() {}

    public static void main(String[] arguments) {
        clockCountsSleep();
        deadlineIsRoundedDownAndFinal();
        jsonIsReadStrictly();
        badServersAreRefusedWithWhatIsNeeded();
        System.out.println("4 tests of the Java client hold");
    }

    private static void is(String what, Object found, Object expected) {
        if (!String.valueOf(found).equals(String.valueOf(expected))) {
            throw new AssertionError(what + ": " + found + " instead of " + expected);
        }
    }

    private static void clockCountsSleep() {
        Clock clock = new Clock(() -> steady, () -> other, Duration.ofMillis(100));
        long begun = clock.read();
        steady += 1_000_000_000L;
        other += 60_000_000_000L;
        is("a minute, of which 59 s were slept", clock.read() - begun, 60_000_000_000L);
        other -= 3_600_000_000_000L;
        is("set back: everything ends", clock.read() - begun > Duration.ofDays(1).toNanos(), true);
        long before = Clock.now();
        is("the clock goes on", Clock.now() >= before, true);
    }

    private static void deadlineIsRoundedDownAndFinal() {
        Session session = new Session("s", 5000, 7, 3000);
        is("deadline", session.deadline, 7 + 3_000_000_000L * 995_000 / 1_005_000);
        Session.Request request = session.asks("/", Map.of());
        session.keptAlive(session.deadline, session.deadline, 3000);
        is("alive", session.isAlive(8), false);
        is("granted", session.granted(8, request, 7), false);
        is("the largest promise", new Session("s", 0, 0, Session.VALID_MAX).deadline, Session.VALID_MAX * 1_000_000);
    }

    private static void jsonIsReadStrictly() {
        String text = "{\"a\":[1,-2.5,true,null,\"\\u00e9\\n\\\"\"],\"b\":{}}";
        Object read = Json.read(text.getBytes(StandardCharsets.UTF_8));
        is("again", Json.read(Json.write(read).getBytes(StandardCharsets.UTF_8)), read);
        for (String wrong : List.of("", "{", "[1,]", "{\"a\"}", "01", "1 2", "nul", "\"\\x\"", "\"", "\"\\u12g4\"")) {
            try {
                Json.read(wrong.getBytes(StandardCharsets.UTF_8));
            } catch (IllegalArgumentException error) {
                continue;
            }
            throw new AssertionError("`" + wrong + "` is no JSON");
        }
    }

    private static void badServersAreRefusedWithWhatIsNeeded() {
        for (String text : List.of("", "unix:a", "https://a", "https://a:1", "http://10.0.0.1:1", "http://127.0.0.1:70000")) {
            try {
                Client.at(text).build();
            } catch (LockException error) {
                is("`" + text + "`", error.code() + " " + error.help().isPresent(), "BAD_REQUEST true");
                continue;
            }
            throw new AssertionError("`" + text + "` is no server");
        }
    }
}
