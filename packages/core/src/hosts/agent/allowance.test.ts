import { allowanceIn, cardOfRoute } from "./allowance";

test("what EC2's card held back, by its own names, and nothing else it counts", () => {
  const said = `NIC statistics:
     tx_timeout: 0
     bw_in_allowance_exceeded: 0
     bw_out_allowance_exceeded: 71
     pps_allowance_exceeded: 12
     conntrack_allowance_available: 136812
     queue_0_tx_cnt: 4711
`;
  expect(allowanceIn(said)).toEqual({
    bw_in_allowance_exceeded: 0,
    bw_out_allowance_exceeded: 71,
    pps_allowance_exceeded: 12,
  });
});

test("a card that knows no allowance says nothing", () => {
  expect(allowanceIn("NIC statistics:\n     peer_ifindex: 7\n")).toEqual({});
});

test("the card is that of the default route", () => {
  const table =
    "Iface\tDestination\tGateway\tFlags\ndocker0\t000011AC\t00000000\t0001\nens5\t00000000\t0100A8C0\t0003\n";
  expect(cardOfRoute(table)).toBe("ens5");
  expect(cardOfRoute("Iface\tDestination\n")).toBeUndefined();
});
