# Completion of rdfgpu's command lines in fish: rdfgpu completion fish > ~/.config/fish/completions/rdfgpu.fish
function __rdfgpu_complete
    set -l words (commandline -opc)
    set -l found ($words[1] complete $words[2..] (commandline -ct) 2>/dev/null)
    if count $found >/dev/null
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c rdfgpu -f -a '(__rdfgpu_complete)'
