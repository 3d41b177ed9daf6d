// What an answer can be shown as, judged by its columns' names and values.

const latitude = /^(.*?)[_-]?(lat|latitude|breite)$/i;
const longitude = /^(.*?)[_-]?(long?|lng|longitude|länge)$/i;

/** coordinates are the columns that hold places: [{wkt}] or [{lat, long}]; empty where there are none. */
export function coordinates(profile) {
  const wkt = profile.filter((c) => c.wkt).map((c) => ({ wkt: c.name }));
  const pairs = profile.filter((c) => c.latitude && latitude.test(c.name)).flatMap((lat) => {
    const stem = latitude.exec(lat.name)[1];
    const long = profile.find((c) => c.longitude && longitude.exec(c.name)?.[1] === stem);
    return long ? [{ lat: lat.name, long: long.name }] : [];
  });
  return [...wkt, ...pairs];
}

export const dates = (profile) => profile.filter((c) => c.date).map((c) => c.name);

export const numbers = (profile) => profile.filter((c) => c.number).map((c) => c.name);

/** categories are columns whose values repeat or name things. */
export const categories = (profile) => profile.filter((c) => !c.wkt && c.distinct > 0 && !c.number).map((c) => c.name);

/** nameColumn is the column that says best what a row is about. */
export function nameColumn(profile, except = []) {
  const free = profile.filter((c) => !except.includes(c.name) && !c.number && !c.wkt && !c.date);
  return (free.find((c) => /name|label|title/i.test(c.name)) ?? free[0] ?? profile[0])?.name;
}
