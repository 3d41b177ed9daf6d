# Completion of rdfgpu's command lines in bash: source <(rdfgpu completion bash)
_rdfgpu() {
  local found
  COMPREPLY=()
  while IFS=$'\t' read -r found _; do
    COMPREPLY+=("$found")
  done < <("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -o bashdefault -F _rdfgpu rdfgpu
