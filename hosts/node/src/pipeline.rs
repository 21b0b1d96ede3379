//! Node's part of the CI file of a package.

use tierup_codegen::{Forge, Pipeline};

use crate::names::json;

pub(crate) fn pipeline(package: &str, forge: Forge) -> Pipeline {
    let script = format!(
        "const rust = require({}).with({{}}); rust.ready().then(rust.checkHealth).then(rust.close)",
        json(package).replace('"', "'")
    );
    Pipeline {
        registry: "npm's registry",
        setup: "      - uses: actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0\n        with:\n          node-version: 22\n",
        call: format!(
            "set -eu\nrm -rf try\nnpm install --no-audit --no-fund --prefix try ./*.tgz\ncd try\nfor tier in 1:spawn 2:core 3:native; do\n  \
             TIERUP_TIER=$tier node -e \"{script}\"\n  echo \"$tier: the golden answer\"\ndone\n"
        ),
        images: ["node:22-bookworm", "node:22-alpine3.22"],
        // From 11.5.1 on, npm asks the forge for a token, and publishes where the package is from. Without `./`, `dist/…`
        // would be a repository on GitHub.
        publish: match forge {
            Forge::GitHub => "      - run: npx --yes npm@11 publish --access public ./dist/*.tgz\n",
            Forge::GitLab => {
                "  # Trusted publishing: set the variable NPM_REGISTRY to the registry's host.\n  id_tokens:\n    NPM_ID_TOKEN: { aud: \"npm:$NPM_REGISTRY\" }\n    SIGSTORE_ID_TOKEN: { aud: sigstore }\n  \
                 script:\n    - npx --yes npm@11 publish --access public ./packages/*.tgz\n"
            }
        },
    }
}
