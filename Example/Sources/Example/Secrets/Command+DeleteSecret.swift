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
      Program.report("There is no such secret.")
      return .absent
    }
    try await item.remove()
    return .done
  }
}
