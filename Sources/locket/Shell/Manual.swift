extension Command {
  static let manual = Command(
    name: "manual",
    summary: "Prints the manual page, for man(1).",
    notes: """
      `locket manual | man -l -` shows the page. In ~/.local/share/man/man1/locket.1, `man locket` finds
      it.
      """
  ) { _ in
    try Output.line(Manual.page)
    return .done
  }
}

/// The manual page in the language of mdoc(7), made of the table of commands.
enum Manual {
  private static let date = "November 25, 2026"

  static var page: String {
    """
    .Dd \(date)
    .Dt LOCKET 1
    .Os
    .Sh NAME
    .Nm locket
    .Nd secrets, settings and password rules
    .Sh SYNOPSIS
    .Nm
    .Ar command
    .Op Ar options
    .Nm
    .Cm \(Command.helpWord)
    .Op Ar command
    .Nm
    .Fl -version
    .Sh DESCRIPTION
    .Nm
    \(text(introduction))
    .Sh COMMANDS
    .Bl -tag -width Ds
    \(Command.all.map(entry).joined(separator: "\n"))
    .El
    .Sh COMMON OPTIONS
    \(list(common.map(tagged)))
    .Sh ENVIRONMENT
    \(list(variables.map { ("Ev \($0.0)", $0.1) }))
    .Sh FILES
    \(list(files.map { ("Pa \($0.0)", $0.1) }))
    .Sh EXIT STATUS
    \(text(Command.statuses))
    The command
    .Cm run
    has that of the command it runs, 125 on an error, 126 if the command cannot be
    executed, and 127 if it was not found.
    .Sh EXAMPLES
    \(examples.map { "\(text($0.0))\n.Pp\n.Dl \(escaped($0.1))" }.joined(separator: "\n.Pp\n"))
    .Sh SEE ALSO
    .Xr env 1 ,
    .Xr jq 1 ,
    .Xr systemd-creds 1
    .Sh SECURITY CONSIDERATIONS
    \(text(security))
    """
  }

  private static let introduction = """
    reads and writes the settings and the secrets of an app, and works with password rules. Secrets \
    are in an encrypted vault or, with `--store desktop`, in the desktop's keyring. They are typed at \
    a prompt or come from standard input or a file, and are never arguments.

    Options follow the command, as `--name VALUE` or `--name=VALUE`. After `--`, all words are \
    parameters.
    """

  private static let variables = [
    ("HOME", "The directory of the files below."),
    ("XDG_CONFIG_HOME", "The directory of settings, instead of ~/.config."),
    ("XDG_DATA_HOME", "The directory of vaults, instead of ~/.local/share."),
    (
      "XDG_STATE_HOME",
      "The directory of device keys and of records of vaults, instead of ~/.local/state."
    ),
    ("CONFIGURATION_DIRECTORY", "The directory of the settings of a service without HOME."),
    ("STATE_DIRECTORY", "The directory of the vault and its state of a service without HOME."),
    (
      "CREDENTIALS_DIRECTORY", "The directory of systemd's credentials, for key slots of that kind."
    ),
    (
      "DBUS_SESSION_BUS_ADDRESS",
      "The session bus of the desktop's keyring, instead of the socket bus in XDG_RUNTIME_DIR."
    ),
    ("NO_COLOR", "Disables colors, unless it is empty."),
  ]

  private static let files = [
    ("~/.config/locket/settings.json", "The settings; of another app with --app."),
    ("~/.local/share/locket/secrets.vault", "The vault."),
    (
      "~/.local/state/locket",
      "The device key, which opens the vault. It should not be copied with the vault."
    ),
  ]

  private static let examples = [
    (
      "Store a secret, which is typed at a prompt:",
      "locket secrets set --service com.example.app --account token"
    ),
    (
      "Run a server with the secret in its environment:",
      "locket run --env TOKEN=com.example.app/token -- server"
    ),
    (
      "Print the accounts of a service, one on each line:",
      "locket secrets list --service com.example.app --json | jq -r .account"
    ),
    ("Set a number and a text:", "locket settings set volume 0.8; locket settings set name Peter"),
  ]

  private static let security = """
    Without a passphrase, other programs of the same user can open the vault. The variables of a \
    process are readable by other processes of the same user, and are inherited by its children. The \
    program leaves no core dump, and no other process of the user can trace it.
    """

  /// The options of many commands, which are explained once.
  private static let common: [Option] = {
    let options = Command.all.flatMap(\.allOptions)
    var seen: Set<Option> = []
    return options.filter { option in
      options.count { $0 == option } > 5 && seen.insert(option).inserted
    }
  }()

  private static func entry(of command: Command) -> String {
    var lines = [".It Cm \(command.name)"]
    for parameter in command.parameters { lines[0] += " Ar \(parameter.name)" }
    if !command.allOptions.isEmpty { lines[0] += " Oo Ar options Oc" }
    if let rest = command.rest { lines[0] += " Fl - Ar \(rest.name) ..." }
    lines.append(text(command.summary))
    let arguments = (command.parameters + [command.rest].compactMap { $0 }).map { parameter in
      ("Ar \(parameter.name)", parameter.help)
    }
    let options = command.allOptions.filter { !common.contains($0) }
    let rows = arguments + options.map(tagged)
    if !rows.isEmpty { lines.append(list(rows)) }
    let others = command.allOptions.filter(common.contains)
    if !others.isEmpty {
      lines += [".Pp", text("Common options: \(others.map(\.flag).joined(separator: ", ")).")]
    }
    if !command.fields.isEmpty {
      lines += [
        ".Pp", text(Field.introduction), list(command.fields.map { ("Va \($0.name)", $0.help) }),
      ]
    }
    if !command.notes.isEmpty { lines += [".Pp", text(command.notes)] }
    return lines.joined(separator: "\n")
  }

  private static func tagged(_ option: Option) -> (String, String) {
    // The macro writes one hyphen itself.
    (
      "Fl \(option.flag.dropFirst())" + (option.placeholder.map { " Ar \($0)" } ?? ""), option.help
    )
  }

  private static func list(_ rows: [(tag: String, help: String)]) -> String {
    let items = rows.map { ".It \($0.tag)\n\(text($0.help))" }
    return ([".Bl -tag -width Ds -compact"] + items + [".El"]).joined(separator: "\n")
  }

  /// Returns paragraphs with a sentence or less on each line, and indented lines as they are.
  private static func text(_ text: String) -> String {
    let end = ".Ed"
    var lines: [String] = []
    var line = ""
    func finishLine() {
      if !line.isEmpty { lines.append(protected(line)) }
      line = ""
    }
    for part in escaped(text).split(separator: "\n", omittingEmptySubsequences: false) {
      if part.hasPrefix("  ") {
        finishLine()
        if lines.last == end {
          lines.removeLast()
        } else {
          lines.append(".Bd -literal -offset indent")
        }
        lines += [protected(String(part.dropFirst(2))), end]
      } else if part.isEmpty {
        finishLine()
        lines.append(".Pp")
      } else {
        for word in part.split(separator: " ") {
          if !line.isEmpty, line.count + word.count > 76 { finishLine() }
          line += (line.isEmpty ? "" : " ") + word
          if word.hasSuffix(".") || word.hasSuffix(":") { finishLine() }
        }
      }
    }
    finishLine()
    return lines.joined(separator: "\n")
  }

  /// Returns a line that does not begin like a macro.
  private static func protected(_ line: String) -> String {
    line.hasPrefix(".") || line.hasPrefix("'") ? "\\&\(line)" : line
  }

  /// Returns text with escapes for characters that have a meaning in mdoc, and with code in bold.
  private static func escaped(_ text: String) -> String {
    var result = ""
    var isCode = false
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "…": result += "..."
      case "`":
        isCode.toggle()
        result += isCode ? "\\fB" : "\\fR"
      default: result.append(character)
      }
    }
    return result
  }
}
