try migrate(isDryRun: false)
let diary = Diary()
diary.pages = (diary.pages ?? 0) + 1
print(diary.token ?? "none", diary.author?.books ?? [], diary.pages ?? 0)
