#!/bin/sh
# Builds the contestants and measures them, one language after the other; what they print is kept in measured/.
# Usage: run.sh [python] [go] [java] [ruby] [php] [beam]; all of them without arguments. PYTHONS names the interpreters, JAVA_HOME a JDK of
# 22 or newer, TIERUP a built program, for Ruby, PHP and Elixir.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
built=$here/built
target=${CARGO_TARGET_DIR:-$here/rust/target}
languages=${*:-python go java ruby php beam}
mkdir -p "$built" "$here/measured"
# Go's programs are linked with the wasmtime of Python's package, so that both are measured with the same.
python=$(echo "${PYTHONS:-python3}" | cut -d ' ' -f 1)

# Prints a file's heading: when, on what, and how busy it was before the run.
heading() {
    echo "# $1"
    echo
    model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
    echo "$(date -u +%Y-%m-%d), $(nproc) x $model, $(rustc --version), load $(cut -d ' ' -f 1-3 /proc/loadavg) before."
    echo
}

build_rust() {
    cd "$here/rust"
    cargo build --release --locked -p rivals-c -p rivals-pyo3 -p rivals-jni -p rivals-uniffi -p rivals-rustler
    cargo build --release --locked -p rivals-wasm -p rivals-extism --target wasm32-unknown-unknown
    cp "$target"/release/librivals_c.a "$target"/release/librivals_*.so "$built"
    cp "$target"/wasm32-unknown-unknown/release/rivals_*.wasm "$built"
    cargo run --release --locked -p rivals-uniffi --features bindgen --bin uniffi-bindgen -- \
        generate --library "$built/librivals_uniffi.so" --language python --no-format --out-dir "$built"
}

environment() {
    [ -d "$built/$1" ] || "$1" -m venv "$built/$1"
    "$built/$1/bin/pip" install --quiet --disable-pip-version-check -r "$here/python/requirements.txt"
}

measure_python() {
    for interpreter in ${PYTHONS:-python3}; do
        environment "$interpreter"
        version=$("$built/$interpreter/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        { heading "Python $version" && "$built/$interpreter/bin/python" "$here/python/measure.py" "$built"; } |
            tee "$here/measured/python-$version.md"
    done
}

measure_go() {
    environment "$python"
    cp "$built/$python"/lib/python*/site-packages/wasmtime/linux-*/_libwasmtime.so "$built/libwasmtime.so"
    cd "$here/go"
    go build -o "$built/go-rivals" .
    { heading "Go" && "$built/go-rivals" "$built"; } | tee "$here/measured/go.md"
}

measure_java() {
    : "${JAVA_HOME:?is to name a JDK of 22 or newer}"
    jars=$built/jars
    mvn -q -f "$here/java/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
        -DoutputDirectory="$jars"
    graal=$(ls "$jars"/compiler-2*.jar "$jars"/truffle-compiler-*.jar "$jars"/word-*.jar "$jars"/collections-*.jar \
        "$jars"/nativeimage-*.jar "$jars"/jniutils-*.jar | tr '\n' ':')
    # Chicory's compiler is a jar of the same name, with a version below 2.
    class_path=$built/classes:$(ls "$jars"/*.jar | grep -v '/compiler-2' | tr '\n' ':')
    mkdir -p "$built/classes"
    "$JAVA_HOME/bin/javac" -d "$built/classes" -cp "$class_path" "$here"/java/*.java
    set -- --enable-native-access=ALL-UNNAMED "-Dbuilt=$built" -cp "$class_path"
    {
        heading "Java, GraalWasm as a plain JDK runs it"
        "$JAVA_HOME/bin/java" "$@" Measure
    } | tee "$here/measured/java.md"
    {
        heading "Java, GraalWasm with Graal's compiler on the upgrade module path"
        "$JAVA_HOME/bin/java" -XX:+UnlockExperimentalVMOptions -XX:+EnableJVMCI "--upgrade-module-path=$graal" "$@" Measure wasm
    } | tee "$here/measured/java-graal-compiler.md"
}

# Builds a library from empty, but for what cargo has downloaded, and says how long that took.
# Arguments: its name, its workspace, its package, the folder to build in.
timed_build() {
    began=$(date +%s.%N)
    cargo build --release --quiet --manifest-path "$2/Cargo.toml" --package "$3" --target-dir "$4" || return 1
    echo "$began $(date +%s.%N)" | awk -v name="$1" '{ printf "- %s: built in %.0f s\n", name, $2 - $1 }'
}

# The same for a rival's crate, whose library is then measured. Arguments: its name, its language, the folder to build in.
timed_rival() {
    if timed_build "$1" "$here/$2/$1" "rivals-$1" "$3"; then
        file=rivals_$(echo "$1" | tr - _).so
        cp "$3/release/lib$file" "$built/$file"
    else
        echo "- $1: not built"
    fi
}

# tierup's own row is what it generates for conformance/crossings.
measure_ruby() {
    crossings=$here/../crossings
    "${TIERUP:-$here/../../target/release/tierup}" build "$crossings" --hosts ruby --tiers 3
    {
        heading "Ruby"
        empty=$(mktemp -d)
        timed_build "tierup's \`3:native\`" "$crossings/.tierup" tierup-ruby-native "$empty/tierup"
        timed_rival magnus ruby "$empty/magnus"
        timed_rival rutie ruby "$empty/rutie"
        rm -rf "$empty"
        echo
        ruby "$here/ruby/measure.rb" "$built" "$crossings/.tierup/ruby"
    } | tee "$here/measured/ruby.md"
}

# Needs libclang, and PHP's headers. tierup's own rows are what it generates for conformance/crossings.
measure_php() {
    crossings=$here/../crossings
    "${TIERUP:-$here/../../target/release/tierup}" build "$crossings" --hosts php --tiers 2,3
    extensions=$crossings/.tierup/php/artifacts
    {
        heading "PHP"
        empty=$(mktemp -d)
        timed_build "tierup's \`3:native\`" "$crossings/.tierup" tierup-php-native "$empty/tierup"
        timed_rival ext-php-rs php "$empty/ext-php-rs"
        rm -rf "$empty"
        echo
        set -- -d "extension=$extensions/native.so" -d "extension=$extensions/core.so"
        php "$@" -d "extension=$built/rivals_ext_php_rs.so" -d ffi.enable=1 "$here/php/measure.php" "$built"
    } | tee "$here/measured/php.md"
}

# Beside what tierup itself makes of the same functions.
measure_beam() {
    crossings=$here/../crossings
    "${TIERUP:-$here/../../target/release/tierup}" build "$crossings" --hosts beam --tiers 1,2,3
    (cd "$crossings/.tierup/beam" && mix compile)
    { heading "Elixir" && elixir -pa "$crossings/.tierup/beam/_build/dev/lib/crossings/ebin" "$here/beam/measure.exs" "$built"; } |
        tee "$here/measured/beam.md"
}

case $languages in
    # Of the others it has only the C functions.
    ruby | php) (cd "$here/rust" && cargo build --release --locked -p rivals-c && cp "$target"/release/librivals_c.so "$built") ;;
    beam) (cd "$here/rust" && cargo build --release --locked -p rivals-rustler && cp "$target"/release/librivals_rustler.so "$built") ;;
    *) build_rust ;;
esac
for language in $languages; do
    case $language in
        python | go | java | ruby | php | beam) "measure_$language" ;;
        *) echo "error: there is no $language here: python, go, java, ruby, php, beam" >&2 && exit 2 ;;
    esac
done
