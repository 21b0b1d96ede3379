class Tierup < Formula
  desc "{{description}}"
  homepage "{{repository}}"
  version "{{version}}"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on :linux

{{downloads}}
  def install
    bin.install "tierup"
    bash_completion.install "completions/tierup.bash" => "tierup"
    zsh_completion.install "completions/_tierup"
    fish_completion.install "completions/tierup.fish"
    man1.install Dir["man/*.1"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/tierup --version")
  end
end
