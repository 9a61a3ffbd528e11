import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import example.auth.api.TokensApi;
import example.auth.model.TokenAnswer;
import example.base.ApiClient;
import example.base.api.WebhooksApi;
import example.base.model.Chain;
import example.base.model.ChainAnswer;
import example.base.model.Pagination;
import example.base.model.Subscription;
import example.base.model.SubscriptionBody;
import example.listing.api.ChainsApi;
import example.listing.api.ListingsApi;
import example.listing.model.AddressBody;
import example.listing.model.Id;
import example.listing.model.LinkBody;
import example.listing.model.Listing;
import example.listing.model.NewListingBody;
import java.io.ByteArrayInputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.PSSParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Calls an Onward sandbox with the clients that openapi-generator generated.
 *
 * <p>The packages example.auth, example.base and example.listing are generated. This program adds
 * the client certificate and the signed assertion, which no OpenAPI document can describe.
 *
 * <p>usage: java UseClients SANDBOX
 */
public final class UseClients {
  private static final String CLIENT = "Example Platform";
  private static final String ASSERTION_TYPE =
      "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
  private static final long ASSERTION_LIFETIME_SECONDS = 120;
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final String CALLBACK = "https://localhost:9/java";
  // The sample data uses neither of these UPRNs.
  private static final long[] UPRNS = {899_999_000_021L, 899_999_000_022L};

  private final Path directory;
  private final JsonNode sandbox;
  private final JsonNode client;
  private final HttpClient.Builder transport;

  private UseClients(Path directory) throws Exception {
    this.directory = directory;
    sandbox = new ObjectMapper().readTree(directory.resolve("sandbox.json").toFile());
    client = findClient();
    transport = HttpClient.newBuilder().sslContext(tls()).connectTimeout(TIMEOUT);
  }

  public static void main(String[] arguments) throws Exception {
    UseClients program = new UseClients(Path.of(arguments[0]));
    program.queryChains(program.requestToken("transaction-status"));
    program.subscribeToEvents(program.sandbox.at("/api_keys/0/key").asText());
    program.linkListings(program.requestToken("listing"));
  }

  private String requestToken(String scope) throws Exception {
    var auth = new example.auth.ApiClient();
    auth.updateBaseUri(sandbox.get("auth_url").asText());
    auth.setHttpClientBuilder(transport).setReadTimeout(TIMEOUT);
    TokenAnswer answer =
        new TokensApi(auth)
            .issueToken(signAssertion(), ASSERTION_TYPE, "client_credentials", null, null, scope);
    check(scope.equals(answer.getScope()), "the token has the scope " + answer.getScope());
    return answer.getAccessToken();
  }

  private void queryChains(String token) throws Exception {
    var chains = new example.base.api.ChainsApi(base(bearer(token)));
    JsonNode samples = sandbox.get("samples");

    // Three properties at once, with one chain on a page.
    List<String> uprns =
        Stream.of("uprn_in_chain", "uprn_split", "uprn_alone")
            .map(name -> samples.get(name).asText())
            .toList();
    for (int page = 1; page <= uprns.size(); page++) {
      ChainAnswer answer =
          chains.queryChains("uprn", uprns, (long) page, null, null, null, null, null, null, 1);
      Pagination position = answer.getData().getPagination();
      check(position.getTotal() == 3 && position.getLastPage() == 3, "the answer has " + position);
      check(position.getPerPage() == 1, "the answer has " + position);
      long uprn = Long.parseLong(uprns.get(page - 1));
      Chain chain = answer.getData().getData().get(0);
      check(
          chain.getProperties().stream().anyMatch(property -> property.getUprn() == uprn),
          "page " + page + " does not have " + uprn);
    }
    System.out.printf("queried %d UPRNs on %d pages%n", uprns.size(), uprns.size());

    // An address has commas, which must not split it.
    String address = samples.get("address").asText();
    ChainAnswer answer =
        chains.queryChains(
            "address", List.of(address), null, null, null, null, null, null, true, null);
    String queried = answer.getData().getData().get(0).getQueriedAddress();
    check(address.equals(queried), "the answer has the address " + queried);
    String reason = answer.getExplanation().get(0).getReason();
    check(reason.equals("matched"), "the explanation has the reason " + reason);
    // A later version of the service may send words that this one does not have.
    ObjectMapper mapper = base(bearer(token)).getObjectMapper();
    JsonNode later = mapper.valueToTree(answer);
    ((ObjectNode) later.at("/explanation/0")).put("reason", "a_later_word");
    reason = mapper.treeToValue(later, ChainAnswer.class).getExplanation().get(0).getReason();
    check(reason.equals("a_later_word"), "a later word became " + reason);
    System.out.println("queried the address " + queried);
  }

  private void subscribeToEvents(String key) throws Exception {
    var webhooks = new WebhooksApi(base(request -> request.header("X-Api-Key", key)));
    SubscriptionBody body =
        new SubscriptionBody()
            .participantName(CLIENT)
            .callbackUrl(CALLBACK)
            .events(
                List.of(
                    SubscriptionBody.EventsEnum.MILESTONE_UPDATED,
                    SubscriptionBody.EventsEnum.FALLTHROUGH));
    Subscription subscription = webhooks.subscribe(body, null);
    List<Subscription> listed = webhooks.listSubscriptions(null).getData();
    check(
        listed.stream()
            .anyMatch(
                entry -> entry.getSubscriptionId().equals(subscription.getSubscriptionId())),
        "the list does not have the new subscription");
    webhooks.deleteSubscription(subscription.getSubscriptionId(), null);
    System.out.printf(
        "subscribed to %d event types and deleted the subscription%n",
        subscription.getEvents().size());
  }

  private void linkListings(String token) throws Exception {
    var listing = new example.listing.ApiClient();
    listing.updateBaseUri(sandbox.get("listing_base_url").asText());
    listing.setHttpClientBuilder(transport).setReadTimeout(TIMEOUT);
    listing.setRequestInterceptor(bearer(token));

    ListingsApi listings = new ListingsApi(listing);
    long seller = create(listings, UPRNS[0]);
    long buyer = create(listings, UPRNS[1]);
    ChainsApi chains = new ChainsApi(listing);
    LinkBody link = new LinkBody().seller(seller).buyer(buyer);
    List<Listing> linked = chains.addLink(link, null, null).getData();
    var chain = linked.get(0).getAttributes().getChainLinkId();
    List<Long> shown =
        chains.listChain(chain, null).getData().stream().map(entry -> number(entry.getId())).toList();
    check(shown.size() == 2, "the chain has the listings " + shown);
    check(shown.containsAll(List.of(seller, buyer)), "the chain has the listings " + shown);
    System.out.printf("linked the listings %d and %d%n", seller, buyer);
  }

  private long create(ListingsApi listings, long uprn) throws Exception {
    AddressBody address =
        new AddressBody()
            .line1(uprn % 100 + " Java Lane")
            .postTown("Leeds")
            .postcode("LS1 4AP")
            .uprn(uprn);
    NewListingBody body =
        new NewListingBody()
            .branchId(client.at("/branches/0").asLong())
            .price(325_000L)
            .externalId("java-" + uprn)
            .address(address);
    return number(listings.createListing(body, null, null).getData().getId());
  }

  private static long number(Id id) {
    return id.getLong();
  }

  private ApiClient base(Consumer<HttpRequest.Builder> interceptor) {
    ApiClient base = new ApiClient();
    base.updateBaseUri(sandbox.get("base_url").asText());
    base.setHttpClientBuilder(transport).setReadTimeout(TIMEOUT);
    return base.setRequestInterceptor(interceptor);
  }

  private static Consumer<HttpRequest.Builder> bearer(String token) {
    return request -> request.header("Authorization", "Bearer " + token);
  }

  private JsonNode findClient() {
    for (JsonNode candidate : sandbox.get("clients")) {
      if (CLIENT.equals(candidate.get("name").asText())) {
        return candidate;
      }
    }
    throw new IllegalStateException("sandbox.json has no client " + CLIENT);
  }

  private String signAssertion() throws Exception {
    check("PS256".equals(client.get("assertion_alg").asText()), "the client's key is not for PS256");
    long now = Instant.now().getEpochSecond();
    byte[] random = new byte[24];
    new SecureRandom().nextBytes(random);
    String id = client.get("client_id").asText();
    String header =
        encode(Map.of("typ", "JWT", "alg", "PS256", "kid", client.get("assertion_kid").asText()));
    String claims =
        encode(
            Map.of(
                "iss", id,
                "sub", id,
                "aud", sandbox.get("auth_url").asText(),
                "iat", now,
                "exp", now + ASSERTION_LIFETIME_SECONDS,
                "jti", encode(random)));
    Signature signature = Signature.getInstance("RSASSA-PSS");
    signature.setParameter(
        new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1));
    signature.initSign(readKey("RSA", client.get("assertion_key_file").asText()));
    signature.update((header + "." + claims).getBytes(StandardCharsets.US_ASCII));
    return header + "." + claims + "." + encode(signature.sign());
  }

  private SSLContext tls() throws Exception {
    KeyStore own = KeyStore.getInstance("PKCS12");
    own.load(null, null);
    own.setKeyEntry(
        "client",
        readKey("EC", client.get("key_file").asText()),
        new char[0],
        new Certificate[] {readCertificate(client.get("certificate_file").asText())});
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(own, new char[0]);

    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("ca", readCertificate(sandbox.get("ca_file").asText()));
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(trusted);

    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  private Certificate readCertificate(String name) throws Exception {
    byte[] pem = Files.readAllBytes(directory.resolve(name));
    return CertificateFactory.getInstance("X.509")
        .generateCertificate(new ByteArrayInputStream(pem));
  }

  private PrivateKey readKey(String algorithm, String name) throws Exception {
    String pem = Files.readString(directory.resolve(name));
    byte[] key = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
    return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(key));
  }

  private static String encode(Map<String, Object> members) throws Exception {
    return encode(new ObjectMapper().writeValueAsBytes(members));
  }

  private static String encode(byte[] octets) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(octets);
  }

  private static void check(boolean isRight, String fault) {
    if (!isRight) {
      throw new IllegalStateException(fault);
    }
  }
}
