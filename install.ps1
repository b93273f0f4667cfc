# Installs jp-lsp and the bundled file tools: `irm .../install.ps1 | iex`.
#
#   JP_LSP_VERSION       a version such as 0.1.0; the latest one by default
#   JP_LSP_INSTALL_DIR   where the programs go; %LOCALAPPDATA%\jp-lsp\bin by default
#   JP_LSP_RELEASES      where the releases lie; the project's own page by default
#
# Nothing is written before the archive has the checksum that stands beside it, and nothing needs an administrator.
function Install-JpLsp {
    # Only here: what is piped into `iex` runs in the session of the person.
    $ErrorActionPreference = 'Stop'
    $releases = if ($env:JP_LSP_RELEASES) { $env:JP_LSP_RELEASES } else { 'https://github.com/dcdpr/jp-lsp/releases' }
    $folder = if ($env:JP_LSP_INSTALL_DIR) { $env:JP_LSP_INSTALL_DIR } else { Join-Path $env:LOCALAPPDATA 'jp-lsp\bin' }
    $machine = switch ([Runtime.InteropServices.RuntimeInformation]::OSArchitecture) {
        'X64' { 'x86_64' }
        'Arm64' { 'aarch64' }
        default { throw "there is no binary for $_" }
    }
    $name = "jp-lsp-$machine-pc-windows-msvc"
    $address = if ($env:JP_LSP_VERSION) { "$releases/download/v$($env:JP_LSP_VERSION.TrimStart('v'))" } else { "$releases/latest/download" }
    $work = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
    New-Item -ItemType Directory -Path $work | Out-Null
    try {
        $archive = Join-Path $work 'archive.zip'
        Invoke-WebRequest -UseBasicParsing "$address/$name.zip" -OutFile $archive
        $beside = Join-Path $work 'archive.sha256'
        Invoke-WebRequest -UseBasicParsing "$address/$name.zip.sha256" -OutFile $beside
        $wanted = ((Get-Content -Raw $beside) -split '\s+')[0]
        $found = (Get-FileHash -Algorithm SHA256 $archive).Hash
        if ($wanted -ne $found) { throw "the archive's checksum is $found and should be ${wanted}: nothing was installed" }
        Expand-Archive $archive -DestinationPath $work
        & (Join-Path $work "$name\jp-lsp.exe") --version
        if ($LASTEXITCODE -ne 0) { throw 'the program does not run on this machine: nothing was installed' }
        New-Item -ItemType Directory -Force -Path $folder | Out-Null
        foreach ($program in 'jp-lsp.exe', 'jp-fs-tools.exe') {
            Copy-Item -Force (Join-Path $work "$name\$program") (Join-Path $folder $program)
        }
        Write-Output "installed in $folder"
        $path = [Environment]::GetEnvironmentVariable('Path', 'User')
        if (($path -split ';') -notcontains $folder) {
            $folders = @($path -split ';' | Where-Object { $_ }) + $folder
            [Environment]::SetEnvironmentVariable('Path', ($folders -join ';'), 'User')
            Write-Output 'put on your PATH; open a new terminal'
        }
    } finally {
        Remove-Item -Recurse -Force $work
    }
}

Install-JpLsp
