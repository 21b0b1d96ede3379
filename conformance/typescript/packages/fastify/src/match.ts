export type Match = { title: string; distance: number };

/** The titles that are nearest to what was typed, by the letters that must change (Levenshtein). */
export function bestMatches(typed: string, titles: readonly string[], limit = 5): Match[] {
    const matches: Match[] = [];
    for (const title of titles) {
        let before = Array.from({ length: title.length + 1 }, (_, at) => at);
        for (let row = 1; row <= typed.length; row += 1) {
            const now = [row];
            for (let column = 1; column <= title.length; column += 1) {
                const change = before[column - 1] + (typed.charCodeAt(row - 1) === title.charCodeAt(column - 1) ? 0 : 1);
                now.push(Math.min(change, before[column] + 1, now[column - 1] + 1));
            }
            before = now;
        }
        matches.push({ title, distance: before[title.length] });
    }
    return matches.sort((one, other) => one.distance - other.distance).slice(0, limit);
}
