/** Completes in fish, with descriptions. */
export const fishScript = `# fish completion for kubectl

function __kubectl_answer
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    set -l arguments $typed[2..-1]
    $typed[1] __complete $arguments "$current" 2>/dev/null
end

function __kubectl_words
    set -l answer (__kubectl_answer)
    test (count $answer) -gt 0; or return 1
    set -l directive 0
    if string match -qr '^:[0-9]+$' -- $answer[-1]
        set directive (string sub -s 2 -- $answer[-1])
        set -e answer[-1]
    end
    # 1: an error; 4: no files; 8: files with these endings; 16: folders.
    test (math "bitand($directive, 1)") -ne 0; and return 1
    set -l current (commandline -ct)
    if test (math "bitand($directive, 8)") -ne 0
        for ending in $answer
            __fish_complete_suffix "$current" ".$ending"
        end
        return 0
    end
    if test (math "bitand($directive, 16)") -ne 0
        __fish_complete_directories "$current"
        return 0
    end
    # What is completed of a flag with an equals sign is the whole word.
    set -l before ""
    if string match -qr '^-[^=]*=' -- $current
        set before (string replace -r '=.*' '=' -- $current)
    end
    for word in $answer
        echo -- "$before$word"
    end
    if test (count $answer) -eq 0; and test (math "bitand($directive, 4)") -eq 0
        __fish_complete_path "$current"
    end
end

complete -c kubectl -e
complete -c kubectl -f -a '(__kubectl_words)'
`;
