/// The results of a row's rounds.
struct Measurement {
  var row: Row
  var baselineName: String
  /// Nanoseconds per iteration.
  var subject: Quartiles
  var baseline: Quartiles
  /// The ratios of the rounds, each of two consecutive times.
  var ratio: Quartiles
  var difference: Quartiles

  var isMet: Bool? {
    if ratio.median.isNaN { return nil }
    return switch row.target {
    case .ratio(let limit): ratio.median <= limit
    case .difference(let limit): difference.median <= limit
    case .worst(let ratio, let slack): subject.highest <= ratio * baseline.highest + slack
    case nil: nil
    }
  }

  /// Measures all rows in rounds.
  ///
  /// Each round takes every row once, in a new order, and the two sides of a row consecutively, in
  /// either order: the machine's other work affects all of them alike.
  static func takeAll(_ rows: [Row], rounds: Int = 31) -> [Measurement] {
    // In a process with one thread, the C library omits the atomic instructions of a mutex; an app
    // that shares values has more threads.
    withAnotherThread {
      let prepared = rows.map { row in
        (subject: CalibratedWorkload(row.subject()), baseline: CalibratedWorkload(row.baseline()))
      }
      var times = rows.map { _ in (subject: [Double](), baseline: [Double]()) }
      for _ in 0..<rounds {
        for index in rows.indices.shuffled() {
          if Bool.random() {
            times[index].subject.append(prepared[index].subject.nanosecondsPerIteration())
            times[index].baseline.append(prepared[index].baseline.nanosecondsPerIteration())
          } else {
            times[index].baseline.append(prepared[index].baseline.nanosecondsPerIteration())
            times[index].subject.append(prepared[index].subject.nanosecondsPerIteration())
          }
        }
      }
      return zip(rows, zip(prepared, times)).map { row, work in
        let (prepared, times) = work
        let pairs = zip(times.subject, times.baseline)
        return Measurement(
          row: row,
          baselineName: prepared.baseline.name,
          subject: Quartiles(of: times.subject),
          baseline: Quartiles(of: times.baseline),
          ratio: Quartiles(of: pairs.map { $0 / $1 }),
          difference: Quartiles(of: pairs.map { $0 - $1 }))
      }
    }
  }
}
