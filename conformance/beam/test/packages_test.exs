defmodule PackagesTest do
  @moduledoc "The package in a release, and in a project of Erlang."
  use ExUnit.Case

  defp run(program, arguments, options) do
    {said, status} = System.cmd(program, arguments, [stderr_to_stdout: true] ++ options)
    assert status == 0, "#{program} #{inspect(arguments)}: #{status}\n#{said}"
    said
  end

  test "a release has what was built, and needs nothing of the project" do
    folder = Path.join(System.tmp_dir!(), "tierup-beam-release-#{System.pid()}")
    on_exit(fn -> File.rm_rf!(folder) end)
    environment = [{"MIX_ENV", "prod"}]
    run("mix", ["release", "--overwrite", "--path", Path.join(folder, "release")], env: environment)

    script = """
    {:ok, _} = Application.ensure_all_started(:conformance)
    for tier <- ["1:spawn", "1:pool", "2:core", "3:native"] do
      Conformance.bind(tier: tier)
      {:ok, "in a release"} = Conformance.echo_text("in a release")
    end
    IO.puts("\#{Conformance.bind()} from \#{Conformance.Tierup.Built.files("3:native")}")
    """

    said = run(Path.join(folder, "release/bin/conformance_server"), ["eval", script], cd: folder, env: [{"RELEASE_DISTRIBUTION", "none"}])
    assert said =~ "3:native from #{folder}"
  end

  test "an application whose tier cannot run does not start" do
    stop = fn -> Application.stop(:conformance) end
    start = fn tier ->
      Application.put_env(:conformance, :tier, tier)
      Application.start(:conformance)
    end

    ExUnit.CaptureLog.capture_log(stop)
    ExUnit.CaptureLog.capture_log(fn -> send(self(), start.("2:component")) end)
    assert_received {:error, reason}
    assert inspect(reason) =~ "cannot run at tier 2:component"
    assert start.("1:pool") == :ok
    assert Conformance.tier() == "1:pool"
  after
    Application.delete_env(:conformance, :tier)
    Application.ensure_all_started(:conformance)
    Conformance.bind(tier: "3:native")
  end

  test "a project of Erlang calls it" do
    libraries = [Path.expand("_build/#{Mix.env()}/lib"), Path.dirname(:code.lib_dir(:elixir))]
    options = [cd: Path.expand("erlang"), env: [{"ERL_LIBS", Enum.join(libraries, ":")}]]
    run("rebar3", ["compile"], options)
    arguments = ["-noshell", "-pa", "_build/default/lib/caller/ebin", "-eval", "caller:main(), halt()."]
    assert run("erl", arguments, options) =~ "called from Erlang"
  end
end
