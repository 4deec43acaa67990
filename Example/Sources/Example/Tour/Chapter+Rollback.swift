import FoundationEssentials
import SecretStorage

extension Chapter {
  static let rollback = Chapter(title: "An older copy, put back") { stage in
    let file = stage.file("rolled back")
    @GenericPassword(service: "balance", in: stage.vault("rolled back")) var balance: Int?
    balance = 100
    let older = try Data(contentsOf: file)
    balance = 1
    try older.write(to: file)
    try stage.show("balance = 100; /* the file is copied */ balance = 1; /* and put back */")

    let vault = stage.vault("rolled back")
    @GenericPassword(service: "balance", in: vault) var again: Int?
    try await stage.showFailure("try $balance.load()") { () throws in
      try $again.load()
    }
    try vault.acceptRollback()
    try stage.show(
      "try vault.acceptRollback(); balance   // if the copy was put back on purpose", again ?? 0)
  }
}
