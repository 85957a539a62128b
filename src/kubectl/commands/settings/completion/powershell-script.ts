/** Completes in PowerShell, with descriptions. */
export const powershellScript = String.raw`# powershell completion for kubectl

Register-ArgumentCompleter -Native -CommandName 'kubectl' -ScriptBlock {
    param($WordToComplete, $CommandAst, $CursorPosition)

    $Elements = @($CommandAst.CommandElements |
        Where-Object { $_.Extent.EndOffset -le $CursorPosition } |
        ForEach-Object { $_.Extent.Text })
    $Program = $Elements[0]
    $Typed = @($Elements | Select-Object -Skip 1)
    if ($WordToComplete -eq '') { $Typed += '""' }

    $Answer = @(Invoke-Expression "& $Program __complete $($Typed -join ' ') 2>$null")
    if ($Answer.Count -eq 0) { return }
    $Directive = 0
    if ($Answer[-1] -match '^:(\d+)$') {
        $Directive = [int]$Matches[1]
        $Answer = @($Answer | Select-Object -SkipLast 1)
    }

    # 1: an error; 2: no space; 4: no files; 8: files with these endings; 16: folders.
    if ($Directive -band 1) { return }
    if ($Directive -band (8 -bor 16)) { return }

    $Prefix = ''
    if ($WordToComplete -match '^(-[^=]*=)') { $Prefix = $Matches[1] }
    $Space = if ($Directive -band 2) { '' } else { ' ' }

    $Results = @($Answer | Where-Object { $_ -ne '' } | ForEach-Object {
        $Word, $Description = $_ -split [char]9, 2
        if (-not $Description) { $Description = $Word }
        [System.Management.Automation.CompletionResult]::new(
            "$Prefix$Word$Space", $Word, 'ParameterValue', $Description)
    })
    # An empty answer without files keeps PowerShell from offering files.
    if ($Results.Count -eq 0 -and ($Directive -band 4)) { '' } else { $Results }
}
`;
