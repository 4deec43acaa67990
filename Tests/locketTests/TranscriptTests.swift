import FoundationEssentials
import TestSupport
import Testing

/// Commands on a machine that needs no preparation, and what they print.
final class TranscriptTests: ToolTests {
  /// The files of a folder in `Fixtures/transcripts`, each of which is named by its fact.
  private static let facts = Result {
    try FileManager.default.contentsOfDirectory(atPath: Fixture.url("transcripts/alone").path)
  }

  @Test func transcriptsAreFound() throws { #expect(try Self.facts.get().count == 48) }

  @Test(arguments: try facts.get().sorted())
  func commandsPrintTheirTranscript(fact: String) throws { try expectTranscript("alone/\(fact)") }
}
