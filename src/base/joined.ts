/**
 * The same question, asked as seldom as can be: who asks while an answer is under way waits for the next
 * one, which is asked for all of them together. So no answer is older than its question.
 */
export function joined<T>(ask: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<unknown> | undefined;
  let next: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    next = undefined;
    const answer = ask();
    const done = answer.then(ignore, ignore).then(() => {
      if (underWay === done) underWay = undefined;
    });
    underWay = done;
    return answer;
  };
  return () => {
    if (next !== undefined) return next;
    if (underWay === undefined) return begin();
    next = underWay.then(begin);
    return next;
  };
}

const ignore = (): void => {};
