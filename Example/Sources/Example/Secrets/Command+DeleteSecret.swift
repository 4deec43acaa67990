import SecretStorage

extension Command {
  static let deleteSecret = Command(
    name: "secrets delete",
    summary: "Removes a secret.",
    options: Option.identity + Option.openVault
  ) { arguments in
    _ = try arguments.identity()
    let item = try arguments.item(in: arguments.unlockedVault())
    guard try item.matchCount > 0 else {
      try Output.line("Example: There is no such secret.", to: .standardError)
      return .absent
    }
    try item.remove()
    return .done
  }
}
