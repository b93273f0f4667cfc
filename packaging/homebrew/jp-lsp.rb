# Goes into a tap, such as dcdpr/homebrew-tap, with each release; packaging/manifests.sh fills it in.
class JpLsp < Formula
  desc "Language server and agent runtime for the config of the LLM assistant jp"
  homepage "https://github.com/dcdpr/jp-lsp"
  version "@VERSION@"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "https://github.com/dcdpr/jp-lsp/releases/download/v@VERSION@/jp-lsp-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256:jp-lsp-aarch64-apple-darwin.tar.gz@"
    end
    on_intel do
      url "https://github.com/dcdpr/jp-lsp/releases/download/v@VERSION@/jp-lsp-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256:jp-lsp-x86_64-apple-darwin.tar.gz@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/dcdpr/jp-lsp/releases/download/v@VERSION@/jp-lsp-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:jp-lsp-aarch64-unknown-linux-musl.tar.gz@"
    end
    on_intel do
      url "https://github.com/dcdpr/jp-lsp/releases/download/v@VERSION@/jp-lsp-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:jp-lsp-x86_64-unknown-linux-musl.tar.gz@"
    end
  end

  def install
    bin.install "jp-lsp", "jp-fs-tools"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/jp-lsp --version")
  end
end
