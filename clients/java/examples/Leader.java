import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import ringleader.client.Client;
import ringleader.client.Held;

/** Leads for a moment, or until it is lost: {@code Leader FOLDER https://127.0.0.1:PORT#a.local.ringleader ...}. */
public final class Leader {
    private Leader() {}

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        String[] servers = java.util.Arrays.copyOfRange(arguments, 1, arguments.length);
        try (Client client = Client.at(servers).authority(folder.resolve("ca.pem"))
                        .certificate(folder.resolve("client.pem"), folder.resolve("client.key")).build();
                Held held = client.campaign("main", "here").priority(1).acquire()) {
            System.out.println("I lead with fence " + held.fence() + ": " + client.leader("main"));
            held.lost().get(1, TimeUnit.SECONDS);
            System.out.println("I lead no more");
        } catch (TimeoutException error) {
            System.out.println("a second later nothing was lost");
        }
    }
}
