import FoundationEssentials
import Glibc

/// Measurements of Locket against the bare cost of the machine's minimum work, and against other
/// ways to do the same.
@main enum Benchmarks {
  static let rows =
    serializedRows + settingsRows + vaultRows + secretProgramRows + rulesRows + validationRows

  static func main() {
    var only: String?
    var isMarkdown = false
    var picture: String?
    var isGrowth = false
    var commit: String?
    var isAnswering = false
    var arguments = CommandLine.arguments.dropFirst()
    while let argument = arguments.popFirst() {
      switch argument {
      case "--markdown": isMarkdown = true
      case "--only" where !arguments.isEmpty: only = arguments.popFirst()
      case "--picture" where !arguments.isEmpty: picture = arguments.popFirst()
      case "--growth": isGrowth = true
      case "--compare" where !arguments.isEmpty: commit = arguments.popFirst()
      case ComparedCommit.option: isAnswering = true
      case "--count": return CountedRounds.run(arguments.map(row))
      case "--large-vault": LargeVault.make(items: 1_000_000)
      case "--large-vault-at" where arguments.count == 2:
        let (path, count) = (arguments.removeFirst(), Int(arguments.removeFirst()))
        LargeVault.measure(in: URL(filePath: path), items: count ?? 0)
        return
      case "--costs": return print(DependentApp.costs().markdown)
      case "--curves" where arguments.count == 1:
        let points = GrowthCurves.points()
        Picture(of: points).write(to: arguments.removeFirst())
        return print(GrowthCurves.table(points).markdown)
      case GrowthCurves.option: return GrowthCurves.measure(Array(arguments))
      case CrowdedProcesses.option: return CrowdedProcesses.write(Array(arguments))
      default:
        stop(
          """
          Usage: Benchmarks [--markdown] [--picture <file>] [--growth] [--only <part of a row>] \
          [--compare <commit>] | --large-vault | --curves <file> | --costs | --count <row> ...
          """)
      }
    }
    let chosen = (isGrowth ? growthRows : rows).filter { row in
      only.map { row.name.contains($0) } ?? true
    }
    if chosen.isEmpty { stop("No row has \"\(only ?? "")\" in its name.") }
    if isAnswering { return ComparedCommit.answer(for: chosen) }

    let compared = commit.map { commit in
      ComparedCommit(
        commit, arguments: (isGrowth ? ["--growth"] : []) + (only.map { ["--only", $0] } ?? []))
    }
    // Quadratic work is far above the target, in a few rounds as well.
    let measurements = Measurement.takeAll(
      compared?.rows(for: chosen) ?? chosen, rounds: isGrowth ? 7 : 31)
    compared?.end()
    let table = Table(measurements)
    if let picture { Picture(of: measurements).write(to: picture) }
    print(isMarkdown ? table.markdown : table.text)
    if only == nil, commit == nil, !isGrowth { print("\n" + VaultSizes().text) }
  }

  private static func row(_ name: String) -> Row {
    guard let row = rows.first(where: { $0.name == name }) else {
      stop("No row is named \"\(name)\".")
    }
    return row
  }

  static func stop(_ message: String) -> Never {
    var line = message + "\n"
    _ = line.withUTF8 { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(2)
  }
}
