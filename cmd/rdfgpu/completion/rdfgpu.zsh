#compdef rdfgpu
# Completion of rdfgpu's command lines in zsh: rdfgpu completion zsh > "${fpath[1]}/_rdfgpu"
_rdfgpu() {
  local -a found
  local line
  for line in "${(@f)$("$words[1]" complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    line=${line//:/\\:}
    found+=("${line/$'\t'/:}")
  done
  if (( $#found )); then
    _describe -t values rdfgpu found
  else
    _files
  fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _rdfgpu "$@"
else
  compdef _rdfgpu rdfgpu
fi
