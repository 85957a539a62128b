/** Completes in bash. Works without the package bash-completion, but splits words at colons then. */
export const bashScript = String.raw`# bash completion for kubectl

__start_kubectl() {
    local cur words cword line directive=0
    if declare -F _comp_initialize >/dev/null 2>&1; then
        local prev split was_split comp_args
        _comp_initialize -n "=:" -- "$@" || return
    elif declare -F _init_completion >/dev/null 2>&1; then
        local prev split
        _init_completion -n "=:" || return
    else
        words=("${"$"}{COMP_WORDS[@]}")
        cword=$COMP_CWORD
        cur=${"$"}{words[cword]}
    fi

    local -a arguments=("${"$"}{words[@]:1:cword-1}" "$cur") answer=() extensions=()
    while IFS= read -r line; do
        answer+=("$line")
    done < <(eval "${"$"}{words[0]}" __completeNoDesc '"${"$"}{arguments[@]}"' 2>/dev/null)
    local last=$((${"$"}{#answer[@]} - 1))
    ((last < 0)) && return
    if [[ ${"$"}{answer[last]} =~ ^:([0-9]+)$ ]]; then
        directive=${"$"}{BASH_REMATCH[1]}
        unset "answer[$last]"
    fi

    COMPREPLY=()
    # 1: an error; 2: no space; 4: no files; 8: files with these endings; 16: folders.
    ((directive & 1)) && return
    if ((directive & 2)); then compopt -o nospace 2>/dev/null; fi
    if ((directive & 8)); then
        local IFS=$'\n' ending
        for ending in "${"$"}{answer[@]}"; do
            COMPREPLY+=($(compgen -f -X "!*.$ending" -- "$cur"))
        done
        COMPREPLY+=($(compgen -d -- "$cur"))
        compopt -o filenames 2>/dev/null
        return
    fi
    if ((directive & 16)); then
        local IFS=$'\n'
        COMPREPLY=($(compgen -d -- "$cur"))
        compopt -o filenames 2>/dev/null
        return
    fi

    local word typed=$cur
    # The shell replaces only what follows the equals sign of a flag.
    [[ $typed == -*=* ]] && typed=${"$"}{typed#*=}
    for word in "${"$"}{answer[@]}"; do
        [[ $word == "$typed"* ]] && COMPREPLY+=("$(printf '%q' "$word")")
    done
    if ((${"$"}{#COMPREPLY[@]} == 0 && !(directive & 4))); then
        local IFS=$'\n'
        COMPREPLY=($(compgen -f -- "$typed"))
        compopt -o filenames 2>/dev/null
        return
    fi
    if declare -F __ltrim_colon_completions >/dev/null 2>&1; then
        __ltrim_colon_completions "$typed"
    fi
}

complete -o default -F __start_kubectl kubectl
`;
