package ringleader.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;

/** Where servers are, and how they are asked. */
final class Servers {
    private static final String EXPECTED =
            "a server is https://HOST:PORT, or https://HOST:PORT#NAME with the name in its certificate";

    /** A server; two are the same if host and port are. */
    record Server(String scheme, String host, int port) {
        URI uri(String path) {
            return URI.create(this + path);
        }

        @Override
        public String toString() {
            return scheme + "://" + host + ":" + port;
        }
    }

    private final HttpClient http;
    private final String token;
    private final boolean knowsAuthority;
    /** The names in the certificates of servers, by host and port. */
    private final Map<String, String> names = new ConcurrentHashMap<>();

    Servers(Path authority, Path certificate, Path key, String token) {
        HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
                // A session that has moved is followed by its rules, not by those of redirects.
                .followRedirects(HttpClient.Redirect.NEVER).connectTimeout(Duration.ofSeconds(2));
        if (authority != null) {
            builder.sslContext(context(authority, certificate, key));
            builder.sslParameters(new SSLParameters(null, new String[] {"TLSv1.3"}));
        }
        this.http = builder.build();
        this.token = token;
        this.knowsAuthority = authority != null;
    }

    /** Reads a server; plain text is for this machine only. */
    Server parse(String text) {
        URI uri;
        try {
            uri = URI.create(text);
        } catch (IllegalArgumentException error) {
            throw bad(text, "it is no address");
        }
        if (text.startsWith("unix:")) {
            throw bad(text, "the HTTP client of the JDK has no Unix sockets: use https://");
        }
        boolean tls = "https".equals(uri.getScheme());
        if (!tls && !"http".equals(uri.getScheme())) {
            throw bad(text, "it does not begin with https://");
        }
        String path = uri.getPath() == null ? "" : uri.getPath();
        if (uri.getHost() == null || uri.getPort() < 1 || uri.getPort() > 65535 || !path.replace("/", "").isEmpty()) {
            throw bad(text, "it has no host or no port, or more than that");
        }
        if (!tls && !isLoopback(uri.getHost())) {
            throw bad(text, "plain text is for 127.0.0.1 and [::1] only");
        }
        if (tls && !knowsAuthority) {
            throw new LockException("bad_request", "no authority was named", "nothing was asked",
                    "authority(Path.of(\"ca.pem\")) of the cluster", null, null);
        }
        Server server = new Server(uri.getScheme(), uri.getHost(), uri.getPort());
        String name = uri.getFragment() == null ? uri.getHost() : uri.getFragment();
        names.putIfAbsent(server.host() + ":" + server.port(), name);
        return server;
    }

    private static LockException bad(String text, String why) {
        String message = "`" + text + "` is no server: " + why;
        return new LockException("bad_request", message, "nothing was done", EXPECTED, null, null);
    }

    private static boolean isLoopback(String host) {
        try {
            return host.matches("[0-9.]+|\\[.*]") && InetAddress.getByName(host).isLoopbackAddress();
        } catch (IOException error) {
            return false;
        }
    }

    private HttpRequest.Builder request(Server to, String path) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(to.uri(path));
        return token == null ? builder : builder.header("Authorization", "Bearer " + token);
    }

    /**
     * Asks. The answer is the body as JSON if its number is the wanted one; a refusal is a LockException, and whatever else
     * comes, or nothing, counts as no answer. To cancel the future ends the call.
     */
    CompletableFuture<Object> ask(Server to, String method, String path, Object body, int wanted) {
        HttpRequest.BodyPublisher text = body == null
                ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(Json.write(body));
        HttpRequest question = request(to, path).method(method, text).header("Content-Type", "application/json").build();
        CompletableFuture<HttpResponse<byte[]>> call =
                http.sendAsync(question, HttpResponse.BodyHandlers.ofByteArray());
        CompletableFuture<Object> answer = new CompletableFuture<>();
        call.whenComplete((response, error) -> {
            try {
                if (error != null) {
                    throw LockException.noServer(to.toString(), error instanceof CompletionException ? error.getCause() : error);
                }
                answer.complete(checked(to, response.statusCode(), response.body(), wanted));
            } catch (LockException refused) {
                answer.completeExceptionally(refused);
            }
        });
        answer.whenComplete((value, error) -> {
            if (answer.isCancelled()) {
                call.cancel(true);
            }
        });
        return answer;
    }

    static Object checked(Server to, int status, byte[] text, int wanted) {
        Object body = null;
        try {
            body = text.length == 0 ? null : Json.read(text);
        } catch (IllegalArgumentException error) {
            if (status == wanted) {
                throw LockException.protocol(to + " answers something else than it was asked: " + error.getMessage());
            }
        }
        if (status == wanted) {
            return body;
        }
        LockException refused = status >= 300 ? LockException.refusal(body) : null;
        throw refused != null ? refused
                : LockException.protocol(to + " answers `" + status + "`, which is none of the answers that there are");
    }

    /** An answer that goes on, line by line. */
    HttpResponse<java.io.InputStream> events(Server to, String path) throws IOException, InterruptedException {
        return http.send(request(to, path).GET().build(), HttpResponse.BodyHandlers.ofInputStream());
    }

    private SSLContext context(Path authority, Path certificate, Path key) {
        try {
            KeyStore roots = KeyStore.getInstance(KeyStore.getDefaultType());
            roots.load(null);
            int number = 0;
            for (Certificate each : certificates(authority)) {
                roots.setCertificateEntry("authority" + number++, each);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(roots);
            KeyManager[] keys = null;
            if (certificate != null) {
                KeyStore own = KeyStore.getInstance(KeyStore.getDefaultType());
                own.load(null);
                own.setKeyEntry("own", privateKey(key), new char[0], certificates(certificate).toArray(new Certificate[0]));
                KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
                factory.init(own, new char[0]);
                keys = factory.getKeyManagers();
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, new TrustManager[] {new Named((X509TrustManager) trust.getTrustManagers()[0])}, null);
            return context;
        } catch (IOException | GeneralSecurityException | IllegalArgumentException error) {
            throw LockException.of("bad_credentials", String.valueOf(error), "nothing was asked");
        }
    }

    private static Collection<? extends Certificate> certificates(Path file) throws IOException, CertificateException {
        try (java.io.InputStream stream = Files.newInputStream(file)) {
            return CertificateFactory.getInstance("X.509").generateCertificates(stream);
        }
    }

    private static PrivateKey privateKey(Path file) throws IOException, GeneralSecurityException {
        String text = Files.readString(file).replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
        PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(text));
        for (String kind : List.of("EC", "Ed25519", "RSA")) {
            try {
                return KeyFactory.getInstance(kind).generatePrivate(spec);
            } catch (GeneralSecurityException error) {
                // Of another kind, perhaps.
            }
        }
        throw new GeneralSecurityException(file + " has no private key in PKCS #8 form");
    }

    /** Trusts servers of the authority whose certificate has the name that is expected of them, whatever their address. */
    private final class Named extends X509ExtendedTrustManager {
        private final X509TrustManager authority;

        Named(X509TrustManager authority) {
            this.authority = authority;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine) throws CertificateException {
            authority.checkServerTrusted(chain, kind);
            String at = engine.getPeerHost() + ":" + engine.getPeerPort();
            String wanted = names.getOrDefault(at, names.get("[" + engine.getPeerHost() + "]:" + engine.getPeerPort()));
            List<Object> there = new ArrayList<>();
            for (List<?> name : chain[0].getSubjectAlternativeNames() == null
                    ? Set.<List<?>>of() : chain[0].getSubjectAlternativeNames()) {
                there.add(name.get(1));
            }
            if (wanted == null || !there.contains(wanted)) {
                throw new CertificateException("the certificate is for " + there + ", and not for " + wanted);
            }
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket) throws CertificateException {
            throw new CertificateException("only engines are used here");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind) throws CertificateException {
            throw new CertificateException("nothing says which server it is");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind, Socket socket) throws CertificateException {
            throw new CertificateException("this is a client");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine) throws CertificateException {
            throw new CertificateException("this is a client");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind) throws CertificateException {
            throw new CertificateException("this is a client");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return authority.getAcceptedIssuers();
        }
    }
}
