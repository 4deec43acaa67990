import CLibrary
import StorageInternals
import TestSupport
import Testing

@Suite struct DynamicLibraryTests {
  /// The C library, which every process has loaded, by its names for Glibc and Musl.
  static let names = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"]

  @Test func functionOfTheFirstFoundLibraryIsCalled() throws {
    let library = try DynamicLibrary(anyOf: ["libmissing.so.9"] + Self.names, packages: [:])
    #expect(Self.names.contains(library.name))
    // int abs(int j);
    let abs = try library.function("abs", as: (@convention(c) (Int32) -> Int32).self)
    #expect(abs(-42) == 42)
  }

  @Test func missingLibraryErrorNamesPackages() throws {
    let packages = ["Fedora": "missing-libs", "Debian": "libmissing9"]
    let error = try #require(throws: Unavailable.self) {
      _ = try DynamicLibrary(anyOf: ["libmissing.so.9", "libmissing.so.8"], packages: packages)
    }
    let start = "The C library libmissing.so.9 or libmissing.so.8 cannot be loaded: "
    let end = ". Install the package that contains it: libmissing9 (Debian), missing-libs (Fedora)."
    #expect(error.description.hasPrefix(start) && error.description.hasSuffix(end))
    let reasons = error.description.dropFirst(start.count).dropLast(end.count).split(separator: ";")
    try #require(reasons.count == 2)
    #expect(
      reasons[0].contains("libmissing.so.9") && reasons[1].contains("libmissing.so.8"),
      "\(reasons)")
  }

  @Test func missingSymbolErrorNamesTheLibrary() throws {
    let library = try DynamicLibrary(anyOf: Self.names, packages: [:])
    #expect(cFunction("no_such_function", as: (@convention(c) () -> Void).self) == nil)
    let expected = Unavailable.missing("no_such_function", in: library)
    #expect(throws: expected) {
      _ = try library.function("no_such_function", as: (@convention(c) () -> Void).self)
    }
    #expect(expected.description.contains("\(library.name) has no symbol no_such_function."))
  }

  @Test func swiftFunctionTypeStopsTheProcess() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let library = try DynamicLibrary(anyOf: DynamicLibraryTests.names, packages: [:])
      _ = try library.function("abs", as: ((Int32) -> Int32).self)
    }
    let text = "is not the type of a C function: write @convention(c) before it."
    #expect(message(of: result).contains(text))
  }
}
