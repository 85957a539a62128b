/**
 * How many random worlds the tests of controllers and scheduler try. `npm run convergence` tries 500
 * of each, which takes minutes.
 */
export const convergenceSeeds = 15;
