import SecretStorage

extension Option {
  fileprivate static let all = Option("all", nil, "also those that apps keep out of lists")
}

extension Command {
  static let listSecrets = Command(
    name: "secrets list",
    summary: "Lists the secrets of the vault by the options that name them, without the secrets.",
    options: [.service, .all] + Option.openVault,
    notes: """
      Each line is the options for the other commands, a tab, and the label. The oldest is the first.
      """
  ) { arguments in
    let vault = try arguments.unlockedVault()
    let query = arguments[.service].map { ItemQuery.matching(.generic(service: $0)) } ?? .all
    for item in try vault.items(matching: query) {
      if item.attributes.isInvisible == true, !arguments.has(.all) { continue }
      try Output.line("\(item.identity.options)\t\((item.attributes.label ?? "").onOneLine)")
    }
    return .done
  }
}
