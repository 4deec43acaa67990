@testable import KeyValueStorage

extension StoredFormat {
  func parsed(_ file: [UInt8]) -> Result<ParsedFile, FormatError> {
    do { return .success(try parse(file)) } catch { return .failure(error) }
  }

  func decoded(_ value: EncodedValue) -> Result<ValueTree, FormatError> {
    do { return .success(try decode(value)) } catch { return .failure(error) }
  }
}
