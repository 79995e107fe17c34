import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import ringleader.client.Client;
import ringleader.client.Clock;
import ringleader.client.Held;
import ringleader.client.Json;
import ringleader.client.LockException;

/** The client as a program for the conformance suite and the fault run: lines of JSON in, lines of JSON out. */
public final class Driver {
    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private static final Map<String, Held> HELD = new ConcurrentHashMap<>();
    private static final Map<String, Thread> WAITS = new ConcurrentHashMap<>();
    private static volatile Client client;

    private Driver() {}

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line;
        while ((line = lines.readLine()) != null) {
            Map<?, ?> command = (Map<?, ?>) Json.read(line.getBytes(StandardCharsets.UTF_8));
            if ("cancel".equals(command.get("op"))) {
                WAITS.get(text(command, "key")).interrupt();
                continue;
            }
            Thread thread = new Thread(() -> obey(command));
            thread.setDaemon(true);
            if ("acquire".equals(command.get("op"))) {
                WAITS.put(text(command, "key"), thread);
            }
            thread.start();
            if ("open".equals(command.get("op"))) {
                thread.join();
            }
        }
    }

    private static String text(Map<?, ?> command, String key) {
        return command.get(key) instanceof String text ? text : null;
    }

    private static synchronized void say(Object id, Map<String, Object> reply) {
        Map<String, Object> all = new LinkedHashMap<>(reply);
        all.put("id", id);
        OUT.println(Json.write(all));
    }

    private static void obey(Map<?, ?> command) {
        Object id = command.get("id");
        try {
            switch (text(command, "op")) {
                case "about" -> say(id, Map.of("language", "java", "unix", false, "cancel", true));
                case "open" -> {
                    client = made(command);
                    say(id, Map.of("ok", true));
                }
                case "state" -> say(id, Map.of("holds", state()));
                case "acquire" -> {
                    Held held = acquired(command);
                    HELD.put(text(command, "key"), held);
                    say(id, Map.of("fence", String.valueOf(held.fence())));
                }
                case "release" -> {
                    HELD.get(text(command, "key")).release();
                    say(id, Map.of("ok", true));
                }
                case "observe" -> client.observe(text(command, "name"), event -> say(id, Map.of("event", event)));
                case "contend" -> say(id, Map.of("ok", true, "counts", contend(command)));
                case "close" -> {
                    client.close();
                    say(id, Map.of("ok", true));
                }
                default -> throw new IllegalArgumentException("an unknown command");
            }
        } catch (LockException error) {
            Map<String, Object> said = new LinkedHashMap<>();
            said.put("code", error.word().equals("session_unknown") ? "session_expired" : error.word());
            said.put("message", error.getMessage());
            said.put("certain", error.certain());
            said.put("help", error.help().orElse(null));
            said.put("retry_after_ms", error.retryAfter().map(Duration::toMillis).orElse(null));
            say(id, Map.of("error", said));
        } catch (InterruptedException error) {
            say(id, Map.of("error", Map.of("code", "cancelled")));
        } catch (java.io.IOException error) {
            say(id, Map.of("error", Map.of("code", "file", "message", String.valueOf(error))));
        }
    }

    private static Client made(Map<?, ?> command) {
        List<String> servers = new ArrayList<>();
        ((List<?>) command.get("servers")).forEach(each -> servers.add((String) each));
        Client.Builder builder = Client.at(servers.toArray(new String[0])).token(text(command, "token"))
                .meta(text(command, "meta")).sessionClass(text(command, "session_class"));
        if (text(command, "authority") != null) {
            builder.authority(Path.of(text(command, "authority")));
        }
        if (text(command, "certificate") != null) {
            builder.certificate(Path.of(text(command, "certificate")), Path.of(text(command, "key")));
        }
        if (command.get("patience_ms") instanceof Long patience) {
            builder.patience(Duration.ofMillis(patience));
        }
        return builder.build();
    }

    private static Held acquired(Map<?, ?> command) throws InterruptedException {
        Client.Asking asking = "election".equals(command.get("kind"))
                ? client.campaign(text(command, "name"), "") : client.lock(text(command, "name"));
        if (command.get("wait_ms") instanceof Long wait) {
            asking.timeout(Duration.ofMillis(wait));
        }
        if (command.get("value") instanceof String value) {
            asking.value(value);
        }
        if (command.get("priority") instanceof Long priority) {
            asking.priority(priority);
        }
        if ("shared".equals(command.get("mode"))) {
            asking.shared();
        }
        if (command.get("permits") instanceof Long permits) {
            asking.permits(permits);
        }
        return Boolean.TRUE.equals(command.get("try")) ? asking.tryNow() : asking.acquire();
    }

    private static List<Object> state() {
        List<Object> holds = new ArrayList<>();
        HELD.forEach((key, held) -> {
            Duration remaining = held.remaining();
            holds.add(Map.of("key", key, "fence", String.valueOf(held.fence()), "held", !remaining.isZero(),
                    "remaining_ms", remaining.toNanos() / 1e6, "lost", held.lost().isDone()));
        });
        return holds;
    }

    /**
     * The work of the fault run: takes locks, holds them for a moment, and writes down what it believed. Each line: lock,
     * fence, from and until in nanoseconds of the clock, how it ended.
     */
    private static Map<String, Object> contend(Map<?, ?> command) throws java.io.IOException, InterruptedException {
        List<?> names = (List<?>) command.get("names");
        Map<String, Object> counts = new LinkedHashMap<>();
        List.of("granted", "released", "lost", "refused").forEach(word -> counts.put(word, 0));
        double hold = ((Number) command.get("hold_ms")).doubleValue() * 1e6;
        Duration wait = Duration.ofMillis((Long) command.get("wait_ms"));
        long until = Clock.now() + (long) (((Number) command.get("seconds")).doubleValue() * 1e9);
        try (PrintStream record = new PrintStream(text(command, "record"), StandardCharsets.UTF_8)) {
            while (Clock.now() < until) {
                String name = (String) names.get(ThreadLocalRandom.current().nextInt(names.size()));
                Held held;
                try {
                    held = client.lock(name).timeout(wait).acquire();
                } catch (LockException error) {
                    counts.merge("refused", 1, (a, b) -> (Integer) a + (Integer) b);
                    Thread.sleep(20);
                    continue;
                }
                counts.merge("granted", 1, (a, b) -> (Integer) a + (Integer) b);
                long begun = Clock.now();
                long stays = (long) (-Math.log(1 - ThreadLocalRandom.current().nextDouble()) * hold);
                while (held.isHeld() && Clock.now() < begun + stays) {
                    Thread.sleep(2);
                }
                // What it believes ends here: when it begins to give it back, or at its deadline.
                long last = Math.min(Clock.now(), held.deadline());
                String end = "released";
                try {
                    held.release();
                } catch (LockException error) {
                    end = "lost";
                }
                counts.merge(end, 1, (a, b) -> (Integer) a + (Integer) b);
                record.printf("%s %d %d %d %s%n", name, held.fence(), begun, last, end);
            }
        }
        return counts;
    }
}
