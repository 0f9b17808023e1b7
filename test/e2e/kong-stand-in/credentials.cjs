/** key-auth and basic-auth: who sends a request, or what he is answered. */

/** @returns {{ consumer: string } | { status: number, message: string, headers?: object }} */
const authenticators = {
  "key-auth": ({ key_names: names = ["apikey"], key_in_query: inQuery = true } = {}, consumers) => {
    const known = byCredential(consumers, ({ keyauth_credentials: keys = [] }) => keys.map(({ key }) => String(key)));
    return ({ headers, url }) => {
      const query = new URL(url, "http://kong").searchParams;
      const key = names.map((name) => headers[name.toLowerCase()] ?? (inQuery ? query.get(name) : null)).find(Boolean);
      if (!key) return refusal("No API key found in request", "Key");
      return known.has(key) ? { consumer: known.get(key) } : refusal("Unauthorized", "Key");
    };
  },
  "basic-auth": (_, consumers) => {
    const known = byCredential(consumers, ({ basicauth_credentials: pairs = [] }) =>
      pairs.map(({ username, password }) => `${username}:${password}`),
    );
    return ({ headers }) => {
      const [, base64] = /^basic (\S+)$/i.exec(headers.authorization ?? "") ?? [];
      const pair = Buffer.from(base64 ?? "", "base64").toString();
      return known.has(pair) ? { consumer: known.get(pair) } : refusal("Unauthorized", "Basic");
    };
  },
};

const byCredential = (consumers, credentialsOf) =>
  new Map(consumers.flatMap((consumer) => credentialsOf(consumer).map((text) => [text, consumer.username])));

const refusal = (message, scheme) => ({
  status: 401,
  message,
  headers: { "www-authenticate": `${scheme} realm="kong"` },
});

module.exports = { authenticators };
