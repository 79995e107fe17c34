import java.nio.file.Path;
import java.time.Duration;
import ringleader.client.Client;
import ringleader.client.Held;
import ringleader.client.LockException;

/** A job that runs on one machine at a time: {@code Backup FOLDER https://127.0.0.1:PORT#a.local.ringleader ...}. */
public final class Backup {
    private Backup() {}

    public static void main(String[] arguments) throws InterruptedException {
        Path folder = Path.of(arguments[0]);
        String[] servers = java.util.Arrays.copyOfRange(arguments, 1, arguments.length);
        try (Client client = Client.at(servers).authority(folder.resolve("ca.pem"))
                        .certificate(folder.resolve("client.pem"), folder.resolve("client.key")).build();
                Held held = client.lock("nightly-backup").timeout(Duration.ofSeconds(10)).acquire()) {
            // A look at the clock saves work that would be in vain; what protects the data is the fence.
            if (held.isHeld()) {
                System.out.println("I hold it with fence " + held.fence() + " for " + held.remaining() + " more");
            }
        } catch (LockException error) {
            System.err.println(error);
            System.exit(error.code() == LockException.Code.TIMEOUT ? 75 : 1);
        }
    }
}
