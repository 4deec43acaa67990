let diary = Diary()
print(diary.token ?? "none", diary.author?.books ?? [], diary.pages ?? 0)
