@testable import ValueFormats

extension StoredFormat {
  func parsed(_ file: [UInt8]) -> Result<ParsedFile, FormatError> {
    do { return .success(try parse(file)) } catch { return .failure(error) }
  }

  func decoded(_ value: ArraySlice<UInt8>) -> Result<ValueTree, FormatError> {
    do { return .success(try decode(value)) } catch { return .failure(error) }
  }
}
