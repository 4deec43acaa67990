import FoundationEssentials
import SecretStorage

extension Command {
  static let getSecret = Command(
    name: "secrets get",
    summary: "Prints a secret and a newline, and nothing else.",
    options: Option.identity + Option.openVault
  ) { arguments in
    _ = try arguments.identity()
    guard let secret = try arguments.item(in: arguments.unlockedVault()).load() else {
      Program.report("There is no such secret.")
      return .absent
    }
    try Output.write(Array(secret) + [UInt8(ascii: "\n")])
    return .done
  }
}
