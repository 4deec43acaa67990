/// The scripts that let shells complete the arguments of this program.
///
/// They pass the words to `locket completions candidates` and show what it prints, so they need not
/// change when a command does.
enum CompletionScript {
  static let shells = ["bash", "zsh", "fish"]

  static func text(for shell: String) -> String? {
    switch shell {
    case "bash": bash
    case "zsh": zsh
    case "fish": fish
    default: nil
    }
  }

  private static let bash = #"""
    # Completes the arguments of locket in bash.
    _locket() {
      local line cur=${COMP_WORDS[COMP_CWORD]}
      [[ $cur == = ]] && cur=
      COMPREPLY=()
      while IFS= read -r line; do
        case $line in
          :files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
          :directories) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
          :commands) mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
          *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
      done < <(printf '%s\0' "${COMP_WORDS[@]:1:COMP_CWORD}" | locket completions candidates 2>/dev/null)
    }
    complete -F _locket locket
    """#

  private static let zsh = #"""
    #compdef locket
    # Completes the arguments of locket in zsh.
    _locket() {
      local line
      local -a candidates
      for line in "${(@f)$(printf '%s\0' "${(@Q)words[2,CURRENT]}" | locket completions candidates 2>/dev/null)}"; do
        case $line in
          :files) compset -P '--*='; _files ;;
          :directories) compset -P '--*='; _files -/ ;;
          :commands) _command_names -e ;;
          ?*) candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
        esac
      done
      (( $#candidates )) && _describe 'argument of locket' candidates
    }
    if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
      _locket "$@"
    else
      compdef _locket locket
    fi
    """#

  private static let fish = #"""
    # Completes the arguments of locket in fish.
    function __locket_candidates
      set -l words (commandline -opc)
      set -e words[1]
      set -l current (commandline -ct)
      # A path is completed after the equals sign.
      set -l option (string match -r -- '^--[^=]*=' $current)
      set -l path (string replace -r -- '^--[^=]*=' '' $current)
      for line in (printf '%s\0' $words "$current" | locket completions candidates 2>/dev/null)
        switch $line
          case :files
            printf "$option%s\n" (__fish_complete_path $path)
          case :directories
            printf "$option%s\n" (__fish_complete_directories $path '')
          case :commands
            __fish_complete_command
          case '*'
            echo $line
        end
      end
    end
    complete -c locket -f -a '(__locket_candidates)'
    """#
}
