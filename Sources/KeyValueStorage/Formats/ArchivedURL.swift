package import FoundationEssentials

/// A URL in a keyed archive, as Foundation's `UserDefaults.set(_: URL?, forKey:)` makes one of it.
///
/// The archive is a binary property list whose objects refer to each other by UIDs.
package struct ArchivedURL {
  package let url: URL

  /// Finds the URL in an archive; nil if the bytes are anything else, or the URL is relative to another.
  package init?(_ data: Data) {
    do throws(FormatError) {
      guard let text = try Self.text(in: Array(data)), let url = URL(string: text) else {
        return nil
      }
      self.url = url
    } catch {
      // It is another property list, or none.
      return nil
    }
  }

  private static func text(in bytes: [UInt8]) throws(FormatError) -> String? {
    let table = try BinaryObjectTable(bytes[...])
    try table.check(depth: FormatLimits.depth)
    let archive = try table.object(table.top)
    guard let top = try table.member("$top", of: archive),
      let objects = try table.member("$objects", of: archive), objects.kind == .array,
      let root = try table.archived("root", of: top, among: objects),
      let type = try table.archived("$class", of: root, among: objects),
      let name = try table.member("$classname", of: type), table.string(name) == "NSURL",
      let base = try table.archived("NS.base", of: root, among: objects),
      table.string(base) == "$null",
      let text = try table.archived("NS.relative", of: root, among: objects)
    else { return nil }
    return table.string(text)
  }
}

extension BinaryObjectTable {
  /// The value of a key of a dictionary; nil for other objects, and if it is not there.
  fileprivate func member(
    _ key: String, of object: BinaryObject
  ) throws(FormatError) -> BinaryObject? {
    guard object.kind == .dictionary else { return nil }
    let count = referenceCount(object) / 2
    for number in 0..<count
    where string(try self.object(try reference(number, of: object))) == key {
      return try self.object(try reference(count + number, of: object))
    }
    return nil
  }

  /// The object that the value of a key refers to by a UID.
  fileprivate func archived(
    _ key: String, of object: BinaryObject, among objects: BinaryObject
  ) throws(FormatError) -> BinaryObject? {
    guard let uid = try member(key, of: object), uid.kind == .uid, uid.content.count <= 4 else {
      return nil
    }
    let number = self[uid.content].reduce(0) { $0 << 8 | Int($1) }
    guard number < referenceCount(objects) else { return nil }
    return try self.object(try reference(number, of: objects))
  }
}
