package experiments;

import baseline.CreateExperiment;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.LongSupplier;

import local.tierup.experiments.Experiments;
import local.tierup.experiments.HealthException;
import local.tierup.experiments.Outcome;
import local.tierup.experiments.RustException;

/** What the server answers. It knows nothing of processes and ports. */
final class App {
    private static final String PATH = "/experiments";

    private final Experiments rust;
    /** Seconds since 1970. */
    private final LongSupplier now;

    App(Experiments rust, LongSupplier now) {
        this.rust = rust;
        this.now = now;
    }

    /** Takes the function from where TIERUP_TIER says. */
    static Experiments load() {
        return Experiments.load(CreateExperiment::createExperiment);
    }

    void route(RoutesConfig routes) {
        routes.post(PATH, this::create);
        routes.get("/livez", context -> say(context, 200, "ok"));
        routes.get("/readyz", this::ready);
        routes.error(404, App::nothingThere);
        routes.exception(Refused.class, (e, context) -> answer(context, e));
        routes.exception(RustException.class, (e, context) -> {
            System.err.println("an experiment could not be checked: " + e.getMessage());
            answer(context, new Refused(500, "", "the experiment could not be checked"));
        });
    }

    private void create(Context context) throws Refused {
        // The body is read before anything is answered, so that the connection can be used again.
        byte[] body = Body.read(context);
        boolean hasFingerprint = Fingerprint.isWanted(context.queryString());
        Optional<Long> fingerprintAt = hasFingerprint ? Optional.of(now.getAsLong()) : Optional.empty();
        Outcome outcome = rust.createExperiment(body, fingerprintAt);
        if (outcome instanceof Outcome.Valid valid) {
            answer(context, 200, valid.value());
        } else if (outcome instanceof Outcome.Invalid invalid) {
            answer(context, 422, invalid.value());
        } else if (outcome instanceof Outcome.Malformed malformed) {
            answer(context, 400, malformed.value());
        }
    }

    private void ready(Context context) {
        try {
            rust.checkHealth();
            say(context, 200, "ok");
        } catch (HealthException e) {
            say(context, 503, e.getMessage());
        }
    }

    private static void nothingThere(Context context) {
        if (context.path().equals(PATH)) {
            answer(context.header("Allow", "POST"), new Refused(405, "", "only POST is answered here"));
        } else {
            answer(context, new Refused(404, "", "there is nothing here"));
        }
    }

    private static void answer(Context context, Refused refused) {
        answer(context, refused.status(), refused.json());
    }

    /** As bytes: of a text, Javalin would say its charset, which JSON does not have. */
    private static void answer(Context context, int status, String json) {
        context.status(status).contentType("application/json").result(json.getBytes(StandardCharsets.UTF_8));
    }

    private static void say(Context context, int status, String text) {
        context.status(status).contentType("text/plain; charset=utf-8").result(text);
    }
}
