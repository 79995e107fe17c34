package ringleader.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The clock of deadlines. {@link System#nanoTime} may stand still while the machine sleeps, and Java cannot ask for
 * CLOCK_BOOTTIME. So it is compared, at every look, with a clock that goes on: on Linux the uptime of the kernel,
 * elsewhere the wall clock. What it has missed is added. A wall clock that was set back hides how long the machine slept:
 * then this clock leaps a day, and every session ends.
 */
public final class Clock {
    private static final Path UPTIME = Path.of("/proc/uptime");
    private static final Clock CLOCK = choose();

    private final LongSupplier steady;
    private final LongSupplier other;
    private final long step;
    private long base;
    private long ahead;

    Clock(LongSupplier steady, LongSupplier other, Duration step) {
        this.steady = steady;
        this.other = other;
        this.step = step.toNanos();
        this.base = other.getAsLong() - steady.getAsLong();
    }

    private static Clock choose() {
        try {
            uptime();
            return new Clock(System::nanoTime, () -> {
                try {
                    return uptime();
                } catch (IOException error) {
                    throw new java.io.UncheckedIOException(error);
                }
            }, Duration.ofMillis(100));
        } catch (IOException | RuntimeException error) {
            return new Clock(System::nanoTime, () -> System.currentTimeMillis() * 1_000_000, Duration.ofMillis(250));
        }
    }

    /** Nanoseconds since the kernel was started, in steps of ten milliseconds; they go on in sleep. */
    private static long uptime() throws IOException {
        String text = Files.readString(UPTIME);
        return Math.round(Double.parseDouble(text.substring(0, text.indexOf(' '))) * 1000) * 1_000_000;
    }

    synchronized long read() {
        while (true) {
            long before = steady.getAsLong();
            long missed = other.getAsLong() - before - base;
            long now = steady.getAsLong();
            // Both were read at one moment, or this process was paused between them: then once more.
            if (now - before > step / 4) {
                continue;
            }
            if (missed > step || missed < -step) {
                base += missed;
                ahead += missed > 0 ? missed : Duration.ofDays(1).toNanos();
            }
            return now + ahead;
        }
    }

    /** This moment, in nanoseconds on the clock of {@link Held#deadline}. */
    public static long now() {
        return CLOCK.read();
    }
}
