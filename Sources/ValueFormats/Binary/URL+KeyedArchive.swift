package import FoundationEssentials

// A URL in the form in which Foundation archives it.
extension URL {
  /// Decodes an absolute URL of `UserDefaults.set(_:forKey:)` from a keyed archive, a binary
  /// property list whose objects refer to each other by UIDs.
  package init?(archive: Data) {
    do throws(FormatError) {
      let table = try BinaryObjectTable(Array(archive)[...])
      _ = try BinaryObjectCheck(table)
      var reader = BinaryTreeReader(table, .plain, readsUIDs: true)
      guard case .dictionary(let archive) = try reader.tree(table.root),
        case .array(let objects)? = archive[StoredKey("$objects")]
      else { return nil }
      func object(_ key: String, of tree: ValueTree?) -> ValueTree? {
        guard case .dictionary(let members)? = tree,
          case .number(.text(let uid))? = members[StoredKey(key)],
          let index = Int(uid), index < objects.count
        else { return nil }
        return objects[index]
      }
      let root = object("root", of: archive[StoredKey("$top")])
      guard case .dictionary(let type)? = object("$class", of: root),
        type[StoredKey("$classname")] == .string("NSURL"),
        object("NS.base", of: root) == .string(EscapedString.null),
        case .string(let string)? = object("NS.relative", of: root)
      else { return nil }
      self.init(string: string)
    } catch {
      // The data is not a keyed archive.
      return nil
    }
  }
}
