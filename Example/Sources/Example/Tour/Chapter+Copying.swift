import FoundationEssentials
import SecretStorage

extension Chapter {
  static let copying = Chapter(title: "A copied vault") { stage in
    do {
      @GenericPassword(service: "note", in: stage.vault("original")) var note: String?
      note = "for this machine"
    }
    try FileManager.default.createDirectory(
      at: stage.file("copy").deletingLastPathComponent(), withIntermediateDirectories: false)
    try FileManager.default.copyItem(at: stage.file("original"), to: stage.file("copy"))
    try stage.say("The file is copied to a machine with another device key:")
    @GenericPassword(service: "note", in: stage.vault("copy", on: "other machine")) var note:
      String?
    try await stage.showFailure("try $note.load()") { () throws in try $note.load() }
  }
}
