/** Completes in zsh, with descriptions. */
export const zshScript = String.raw`#compdef kubectl
compdef _kubectl kubectl

# zsh completion for kubectl

_kubectl() {
    local answer line word directive=0
    local -a lines candidates
    local -a typed=("${"$"}{(@Q)words[2,CURRENT]}")
    local prefix=""

    answer=$("${"$"}{(Q)words[1]}" __complete "${"$"}{typed[@]}" 2>/dev/null)
    lines=("${"$"}{(@f)answer}")
    if [[ ${"$"}{lines[-1]} == :<-> ]]; then
        directive=${"$"}{lines[-1]#:}
        lines[-1]=()
    fi

    # 1: an error; 2: no space; 4: no files; 8: files with these endings; 16: folders; 32: keep the order.
    (( directive & 1 )) && return 1
    if (( directive & 8 )); then
        local -a globs
        for word in $lines; do globs+=("*.$word"); done
        _files -g "(${"$"}{(j:|:)globs})"
        return
    fi
    if (( directive & 16 )); then
        _files -/
        return
    fi

    for line in $lines; do
        [[ -z $line ]] && continue
        word=${"$"}{line%%$'\t'*}
        word=${"$"}{word//:/\\:}
        if [[ $line == *$'\t'* ]]; then
            candidates+=("$word:${"$"}{line#*$'\t'}")
        else
            candidates+=("$word")
        fi
    done

    # The value of a flag follows its equals sign.
    [[ ${"$"}{words[CURRENT]} == -*=* ]] && compset -P '*='
    local -a options
    (( directive & 2 )) && options+=(-S '')
    (( directive & 32 )) && options+=(-V unsorted)
    if (( ${"$"}{#candidates} > 0 )); then
        _describe "${"$"}{options[@]}" completions candidates "${"$"}{options[@]}"
    elif (( !(directive & 4) )); then
        _files
    fi
}

# The function is called at once where the shell has loaded this file by itself.
if [[ "${"$"}{funcstack[1]}" == "_kubectl" ]]; then
    _kubectl "$@"
fi
`;
