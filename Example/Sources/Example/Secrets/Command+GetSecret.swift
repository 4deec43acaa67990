import FoundationEssentials
import SecretStorage

extension Command {
  static let getSecret = Command(
    name: "secrets get",
    summary: "Prints a secret and a newline, and nothing else.",
    options: Option.identity + [.itemPasswordFile] + Option.openVault
  ) { arguments in
    _ = try arguments.identity()
    let vault = try arguments.unlockedVault()
    let item = try arguments.item(in: vault)
    let context = try arguments.context(for: arguments.flags(in: vault))
    guard let secret = try await item.load(authorizedBy: context) else {
      Program.report("There is no such secret.")
      return .absent
    }
    try Output.write(Array(secret) + [UInt8(ascii: "\n")])
    return .done
  }
}
