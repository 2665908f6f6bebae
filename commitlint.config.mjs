const NOT_A_VERB = /^(?:An?|The|What|Who|When|Where|Some|There|It|This|That|All|No|Each|Every|Only)\b/;
/** A past tense, a gerund or a third person. `Pass`, `Embed` and `Bring` are imperatives, too. */
const NOT_IMPERATIVE = /^(?!(?:Embed|Feed|Need|Seed|Speed|Bring|String)\b)[A-Z][a-z]*(?:ed|ing|[^su]s)\b/;

/** One topic in the imperative, without a type: `Fix lost wake-up when a worker stops`. */
export default {
  parserPreset: { parserOpts: { headerPattern: /^(.*)$/, headerCorrespondence: ['subject'] } },
  plugins: [
    {
      rules: {
        imperative: ({ subject }) => [
          !NOT_A_VERB.test(subject) && !NOT_IMPERATIVE.test(subject),
          'the subject begins with an imperative: Add, Fix, Return',
        ],
        'one-topic': ({ subject }) => [!subject.includes(';'), 'the subject has one topic, without a semicolon'],
      },
    },
  ],
  rules: {
    'header-max-length': [2, 'always', 72],
    'subject-case': [2, 'always', 'sentence-case'],
    'subject-empty': [2, 'never'],
    'subject-full-stop': [2, 'never', '.'],
    imperative: [2, 'always'],
    'one-topic': [2, 'always'],
  },
};
