// Use the types that openapi-typescript wrote: `node use_client.js ADDRESS KEY` prints what the test expects.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

declare const process: { argv: string[] };
const [, , baseUrl, key] = process.argv;
// Some operations also answer with a file or a stream of events; the second type chooses their JSON.
const client = createClient<paths, "application/json">({ baseUrl, headers: { "X-API-Key": key } });

type Entry = components["schemas"]["LeaderboardEntry"];
const prices = await client.GET("/api/v1/prices");
const ranking = await client.GET("/api/v1/leaderboard", { params: { query: { asset: "btc" } } });
const strategy = await client.GET("/api/v1/strategies/{key}", { params: { path: { key: "macd_slow" } } });
const hospital = await client.GET("/api/v1/strategy-hospital");
const answer = await client.POST("/api/v1/oracle", { body: { question: "Will Bitcoin rise this week?" } });
const p_yes: number | null = answer.data!.p_yes;
const leader: Entry = ranking.data!.entries[0];
const rank: number | null = leader.rank;

// @ts-expect-error: a field that the description does not have is an error of types
const unknown: number = leader.profit;

console.log(JSON.stringify({
  prices: prices.data!.count,
  year: new Date(prices.data!.as_of).getUTCFullYear(),
  leader: rank === 1 ? leader.key : null,
  strategy: strategy.data!.standing.key,
  reviewed: hospital.data!.strategies.length,
  p_yes,
}));
