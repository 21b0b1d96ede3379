import rust from 'words';

const words = rust.with({ baseline: { shout: (text: string) => text + '?' } });
console.log(words.tier, await words.shout('a'));
