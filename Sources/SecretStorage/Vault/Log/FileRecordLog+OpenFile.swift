import StorageInternals

extension FileRecordLog {
  /// An open file of the log, which can be read even after its replacement.
  final class OpenFile: RecordSource {
    let file: File

    init(_ file: consuming File) {
      self.file = file
    }

    func bytes(at offset: Int, count: Int) throws(SecretStoreError) -> ArraySlice<UInt8> {
      let bytes = try mapErrors { () throws(SystemError) in
        try file.read(from: offset, count: count)
      }
      guard bytes.count == count else {
        throw .corrupted("\(file.path) was cut off after it was read")
      }
      return bytes[...]
    }
  }
}
