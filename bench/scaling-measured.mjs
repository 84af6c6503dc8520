export const MEASURED = { prepareMicros: 80, answerMicros: 15, groupMicros: 250, eventMicros: 60, flushMicros: 400, claimMicros: 150, runMicros: 150, commitMicros: 250 };
