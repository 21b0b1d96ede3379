#!/bin/sh
# Made by tierup. Compiles what is new of the package, its driver and the server's own functions, then runs the driver.
# Descriptors 3 and 4 carry requests and answers, so no other program may inherit them.
cd "$(dirname "$0")/.." || exit
project={{project}}
server={{server}}
# Files in which Maven puts the class paths: of the package, and of the server.
own=target/tierup-classpath
other=${server:+$server/target/tierup-classpath}

is_new() {
	test -f "$own" && test -f "${other:-$own}" || return 0
	newer=$(find pom.xml built.json src ${server:+"$server/pom.xml" "$server/src"} -newer "$own" -type f 2>/dev/null | head -n 1)
	test -n "$newer"
}

# Several drivers may start at a time, and Maven writes into the same folders.
if is_new; then
	(
		until mkdir target.lock 2>/dev/null; do
			# A lock whose owner was killed is removed.
			kill -0 "$(cat target.lock/pid 2>/dev/null)" 2>/dev/null || test -z "$(find target.lock -mmin +1 2>/dev/null)" || rm -rf target.lock
			sleep 0.2
		done
		echo $$ >target.lock/pid
		status=0
		if is_new; then
			rm -f "$own"
			mvn --batch-mode --quiet -Dstyle.color=never --file "$project" test-compile dependency:build-classpath \
				-Dmdep.outputFile=target/tierup-classpath -Dmdep.includeScope=runtime || status=1
			test $status = 0 && touch "$own"
		fi
		rm -rf target.lock
		exit $status
	) 3<&- 4>&- 1>&2 || exit 1
fi

classes=target/test-classes:target/classes:$(cat "$own")
if test -n "$server"; then
	classes=$classes:$server/target/classes:$(cat "$other")
fi
# Maven uses this Java, too.
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" --enable-native-access=ALL-UNNAMED -cp "$classes" {{package}}.TierupDriver {{baselines}}
